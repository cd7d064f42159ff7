import type { Approval } from '@yonder/contract/connector'
import type { ResultPart, ToolOutcomeStatus } from '@yonder/contract/tool-result'

export interface ToolOutcome {
  readonly status: ToolOutcomeStatus
  /** What the model reads: the result, or a sentence about why there is none. */
  readonly text: string
  /** What a person sees. */
  readonly parts: readonly ResultPart[]
  /** Milliseconds, without the time in which a person was asked. */
  readonly duration: number
  readonly bytes: number
}

/** How it was decided that a call runs. */
export type CallApproval = Exclude<Approval, 'denied'>
