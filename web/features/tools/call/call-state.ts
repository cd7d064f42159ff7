import type { Message } from '@yonder/contract/message'
import type { ToolOutcomeStatus } from '@yonder/contract/tool-call'

/** The state of a tool call as the user sees it. */
export type CallState = 'waiting' | 'running' | ToolOutcomeStatus

/**
 * Returns the state of the call that `reply` makes. `isLast` is true when no message follows the reply: a user who sent
 * a message instead of deciding has denied the call.
 */
export function readCallState(reply: Message, result: Message | undefined, isLast: boolean): CallState {
  if (result !== undefined) return result.outcome?.status ?? 'done'
  switch (reply.call?.state) {
    case 'waiting':
      return isLast ? 'waiting' : 'denied'
    case 'running':
    case undefined:
      return 'running'
    case 'answered':
      return 'done'
    case 'denied':
      return 'denied'
  }
}

/** The label of each state. */
export const callStateLabels: Readonly<Record<CallState, string>> = {
  waiting: 'Needs approval',
  running: 'Running',
  done: 'Done',
  tool_error: 'Failed',
  failed: 'Failed',
  timed_out: 'Timed out',
  stopped: 'Stopped',
  denied: 'Denied',
  authorization_needed: 'Needs authorization',
  interrupted: 'Interrupted',
}

const unknownOutcome = 'The tool may or may not have finished.'

/** A sentence about each state of a call that did not succeed. */
export const callStateExplanations: Readonly<Partial<Record<CallState, string>>> = {
  tool_error: 'The tool reported an error.',
  failed: 'The call failed.',
  timed_out: `The tool took too long. ${unknownOutcome}`,
  stopped: `The call was stopped. ${unknownOutcome}`,
  denied: 'You denied this call. It was not run.',
  authorization_needed: 'The connector needs your authorization before this tool can be used.',
  interrupted: `The call was interrupted. ${unknownOutcome}`,
}
