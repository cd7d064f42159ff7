import type { RunState } from '@yonder/contract/apply-event'
import type { Message } from '@yonder/contract/message'

/** The reply that a run began with, whose id names the run; it may have written more since. */
export function firstReply(run: RunState | undefined): Message | undefined {
  return run?.messages.find(({ role }) => role === 'assistant')
}
