import type { Approval } from '@yonder/contract/connector'
import type { ResultImage, ResultPart, ToolOutcomeStatus } from '@yonder/contract/tool-call'

/** A part of a result, with the data of images. */
export type OutcomePart =
  | Exclude<ResultPart, { readonly type: 'image' }>
  | ({ readonly type: 'image' } & ResultImage)

export interface ToolOutcome {
  readonly status: ToolOutcomeStatus
  /** The text that the model gets: the result, or the reason why there is none. */
  readonly text: string
  /** What the user sees. */
  readonly parts: readonly OutcomePart[]
  /** Milliseconds, without the time spent waiting for the user. */
  readonly duration: number
  readonly bytes: number
}

/** How it was decided that a call runs. */
export type CallApproval = Exclude<Approval, 'denied'>

/** Creates the outcome of a call without a result; `text` is a sentence with the reason. */
export function failure(text: string, rest: Partial<ToolOutcome> = {}): ToolOutcome {
  return { status: 'failed', text, parts: [{ type: 'note', text }], duration: 0, bytes: 0, ...rest }
}
