import type { RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import { firstReply } from './first-reply.ts'

/** Whether a chat was read while a run was going on that has ended here since: such a chat must not open it again. */
export function isEndedRun(ended: RunState | undefined, { messages, run }: Chat): boolean {
  const first = firstReply(ended)
  if (first === undefined || run?.message_id !== first.id) return false
  // A call that was allowed afterwards runs in a run of its own, which has the same name.
  const state = messages.find(({ id }) => id === first.id)?.call?.state
  return first.call?.state !== 'waiting' || state === undefined || state === 'waiting'
}
