import { parseCall } from '../../chats/stored-call.ts'
import type { BatchCall } from '../../chats/stored-call.ts'
import type { PromptMessage } from './build-prompt.ts'

/** What came of a call: what its tool returned, or a sentence about why nothing did. */
export type BatchResult = { readonly text: string } | { readonly text: string; readonly messageId: string }

/** The calls that a model asked for in one turn, which the path holds one after the other, and what came of each. */
export interface Batch {
  /** What the model said beside. */
  readonly text: string
  readonly calls: readonly { readonly call: BatchCall; readonly result: BatchResult }[]
  /** The place of the last message that belongs to it. */
  readonly last: number
}

/** A user message that holds what a tool returned (§3.11). */
export function isResult({ role, server }: Pick<PromptMessage, 'role' | 'server'>): boolean {
  return role === 'user' && server !== null
}

/** Reads the batch that begins with the call at `first`. */
export function collectBatch(path: readonly PromptMessage[], first: number): Batch {
  const calls: { call: BatchCall; result: BatchResult }[] = []
  let rest: readonly BatchCall[] = []
  let denied = false
  let index = first
  for (;;) {
    const reply = path[index]
    if (reply?.call === null || reply?.call === undefined) break
    const stored = parseCall(reply.call)
    if (index !== first && stored.continues !== true) break
    const next = path[index + 1]
    const result = next !== undefined && isResult(next) ? next : undefined
    calls.push({
      call: { id: stored.id, name: stored.name, arguments: reply.arguments ?? '{}', note: stored.note },
      result:
        result === undefined
          ? { text: explain(reply.call_state) }
          : { text: result.content, messageId: result.id },
    })
    denied = reply.call_state === 'denied'
    rest = stored.rest
    if (result === undefined) {
      index += 1
      break
    }
    index += 2
  }
  const unmade = denied ? explain('denied') : 'This call was not made.'
  return {
    text: path[first]?.content ?? '',
    calls: [...calls, ...rest.map((call) => ({ call, result: { text: unmade } }))],
    last: index - 1,
  }
}

/** Why a call has no result on this path. */
function explain(state: string | null): string {
  switch (state) {
    case 'denied':
      return 'This call was denied by the user.'
    case 'running':
      return 'The call was cut off. Whether the tool did its work is not known.'
    case 'waiting':
      return 'This call was not made: the user has not allowed it.'
    default:
      return 'The result of this call is not part of this conversation.'
  }
}
