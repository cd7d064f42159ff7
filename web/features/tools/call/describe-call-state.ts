import type { CallState } from './read-call-state.ts'

/** How a call stands, in a word or two. */
export const callStateWords: Readonly<Record<CallState, string>> = {
  waiting: 'Waiting for you',
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

const unknownWork = 'Whether the tool has done its work is not known.'

/** What became of a call that did not simply end, in a sentence. */
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
      return `The tool took too long. ${unknownWork}`
    case 'stopped':
      return `The call was stopped. ${unknownWork}`
    case 'denied':
      return 'You denied this call. It was not run.'
    case 'authorization_needed':
      return 'The connector needs your authorization before this tool can be used.'
    case 'interrupted':
      return `The call was interrupted. ${unknownWork}`
  }
}
