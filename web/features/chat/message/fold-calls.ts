import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'

/** Fewer calls of a row are not folded. */
const minFoldedCalls = 5

/** Consecutive tool calls of a turn, of which the finished ones are folded into one line (§13.39). */
export interface CallFold {
  /** The reply above whose call the line is shown. */
  readonly firstId: string
  /** The replies whose calls are folded into the line. */
  readonly foldedIds: ReadonlySet<string>
  /** The number of calls of the row that are over. */
  readonly count: number
  /** How many of these did not succeed: they failed, or were denied or stopped. */
  readonly failures: number
}

/**
 * Finds the calls that are folded: those that are done and show nothing the user should see at once, in rows that no
 * text interrupts. Calls that failed, run or need approval stay visible, and so does every one that `isKept` names.
 */
export function foldCalls(
  replies: readonly Message[],
  resultOf: (replyId: string) => Message | undefined,
  isKept: (reply: Message) => boolean,
): readonly CallFold[] {
  return listRows(replies).flatMap((row) => {
    const ended = row.map((reply) => ({ reply, result: resultOf(reply.id) })).filter(hasEnded)
    const succeeded = ended.filter(hasSucceeded)
    const folded = succeeded.filter(({ reply, result }) => !hasImage(result) && !isKept(reply))
    const [first] = row
    if (first === undefined || folded.length < minFoldedCalls) return []
    return [
      {
        firstId: first.id,
        foldedIds: new Set(folded.map(({ reply }) => reply.id)),
        count: ended.length,
        failures: ended.length - succeeded.length,
      },
    ]
  })
}

/** Consecutive replies that call a tool. A reply with content of its own begins a new row. */
function listRows(replies: readonly Message[]): readonly (readonly Message[])[] {
  const rows: Message[][] = []
  let current: Message[] | undefined
  for (const reply of replies) {
    if (reply.tool === undefined) current = undefined
    else if (current === undefined || hasOwnContent(reply)) rows.push((current = [reply]))
    else current.push(reply)
  }
  return rows
}

/** Whether a reply shows more than its call and its reasoning, so that it stays visible when its call is folded. */
export function hasOwnContent({ content, notice, left_out_tools }: Message): boolean {
  return textOfContent(content) !== '' || notice !== undefined || left_out_tools !== undefined
}

interface Call {
  readonly reply: Message
  readonly result: Message | undefined
}

/** A shared chat lacks the result of an answered call if the result is on another branch. */
function hasEnded({ reply, result }: Call): boolean {
  return result !== undefined || reply.call?.state === 'answered'
}

function hasSucceeded({ result }: Call): boolean {
  return result === undefined || result.outcome === undefined || result.outcome.status === 'done'
}

function hasImage(result: Message | undefined): boolean {
  return result?.outcome?.parts.some(({ type }) => type === 'image') === true
}
