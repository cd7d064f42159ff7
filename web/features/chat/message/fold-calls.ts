import type { Message } from '@yonder/contract/message'

/** Fewer calls of a row are not folded. */
const minFoldedCalls = 5

/** Tool calls of a row that are folded into one line. A row is a series of consecutive calls of a turn. */
export interface CallFold {
  /** The id of the reply above whose call the line is shown. */
  readonly firstId: string
  /** The ids of the replies whose calls are folded into the line. */
  readonly foldedIds: ReadonlySet<string>
  /** The number of calls of the row that have ended, including those that are not folded. */
  readonly count: number
  /** How many of these did not succeed, for example because they failed, were denied or were stopped. */
  readonly failures: number
}

/**
 * Folds the calls that have succeeded. Calls that did not succeed, are running, need approval or returned an image stay
 * visible, and so do those for which `isKept` returns true.
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

/** The rows of a turn: consecutive replies that call a tool. A reply with content of its own begins a new row. */
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
  return content.length > 0 || notice !== undefined || left_out_tools !== undefined
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
