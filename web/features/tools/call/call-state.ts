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

/** Returns a sentence about a call that did not succeed; undefined for any other call. */
export function describeCallState(state: CallState): string | undefined {
  switch (state) {
    case 'waiting':
    case 'running':
    case 'done':
      return undefined
    case 'tool_error':
      return 'The tool reported an error.'
    case 'failed':
      return 'The call failed.'
    case 'timed_out':
      return `The tool took too long. ${unknownOutcome}`
    case 'stopped':
      return `The call was stopped. ${unknownOutcome}`
    case 'denied':
      return 'You denied this call. It was not run.'
    case 'authorization_needed':
      return 'The connector needs your authorization before this tool can be used.'
    case 'interrupted':
      return `The call was interrupted. ${unknownOutcome}`
  }
}
