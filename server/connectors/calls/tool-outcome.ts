import type { Approval } from '@yonder/contract/connector'
import type { ResultImage, ResultPart, ToolOutcomeStatus } from '@yonder/contract/tool-call'

/** A part of a result with everything in it: a picture has its data here. */
export type OutcomePart =
  | Exclude<ResultPart, { readonly type: 'image' }>
  | ({ readonly type: 'image' } & ResultImage)

export interface ToolOutcome {
  readonly status: ToolOutcomeStatus
  /** What the model reads: the result, or a sentence about why there is none. */
  readonly text: string
  /** What a person sees. */
  readonly parts: readonly OutcomePart[]
  /** Milliseconds, without the time in which a person was asked. */
  readonly duration: number
  readonly bytes: number
}

/** How it was decided that a call runs. */
export type CallApproval = Exclude<Approval, 'denied'>

/** A call that brought no result, in a sentence. */
export function failure(text: string, rest: Partial<ToolOutcome> = {}): ToolOutcome {
  return { status: 'failed', text, parts: [{ type: 'note', text }], duration: 0, bytes: 0, ...rest }
}
