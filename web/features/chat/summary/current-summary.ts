import type { Chat } from '@yonder/contract/chat'
import type { Compaction } from '@yonder/contract/compaction'
import { createContext } from 'react'
import { formatCount } from '../../../lib/format-usage.ts'
import type { ChatSession } from '../session/chat-session.ts'

/** The summary that requests along the visible path contain, and what its owner needs to change it. */
export interface CurrentSummary {
  readonly compaction: Compaction
  /** The last shown message before the summary. */
  readonly messageId: string
  readonly chatId: string
  readonly session: ChatSession
  /** The name of the selected bot, which writes a summary again. Undefined while no bot is selected. */
  readonly botName: string | undefined
  /** Called after the summary was removed. Its buttons, one of which had the focus, are gone then. */
  readonly onRemoved: () => void
}

/** Undefined where there is no summary, and in the shared view. */
export const SummaryContext = createContext<CurrentSummary | undefined>(undefined)

/**
 * Finds the last summary on the path to the selected leaf. Earlier ones are not sent any more, and not shown. Tool
 * results are in the path, but are not shown themselves.
 */
export function findSummary({
  messages,
  selected_message_id: leafId,
  compactions = [],
}: Chat): Pick<CurrentSummary, 'compaction' | 'messageId'> | undefined {
  if (compactions.length === 0) return undefined
  const byMessage = new Map(compactions.map((compaction) => [compaction.message_id, compaction]))
  const byId = new Map(messages.map((message) => [message.id, message]))
  let compaction: Compaction | undefined
  let message = byId.get(leafId ?? '')
  while (message !== undefined) {
    // Visit each message only once, so that a cycle ends the loop.
    byId.delete(message.id)
    compaction ??= byMessage.get(message.id)
    const isShown = message.role !== 'user' || message.server === undefined
    if (compaction !== undefined && isShown) return { compaction, messageId: message.id }
    message = byId.get(message.parent_id ?? '')
  }
  return undefined
}

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
