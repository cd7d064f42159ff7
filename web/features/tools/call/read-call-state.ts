import type { Message } from '@yonder/contract/message'
import type { ToolOutcomeStatus } from '@yonder/contract/tool-call'

/** How a call stands as a person sees it. */
export type CallState = 'waiting' | 'running' | ToolOutcomeStatus

/** `isLast` says whether nothing came after the reply: whoever writes on instead of deciding has denied its call. */
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
