import { formatCount } from '../../../lib/format-usage.ts'

function countMessages(count: number): string {
  return count === 1 ? '1 earlier message' : `${formatCount(count)} earlier messages`
}

/** The title of a summary that replaces `count` messages. */
export function describeSummary(count: number): string {
  return `Summary of ${countMessages(count)}`
}

/** What a reply shows while `count` messages are being summarised. */
export function describeSummarizing(count: number): string {
  return `Summarising ${countMessages(count)}…`
}
