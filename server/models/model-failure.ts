import type { ErrorCode } from '@yonder/contract/error-codes'
import type { ModelPart } from './model.ts'

export type FailedPart = Extract<ModelPart, { type: 'failed' }>

/** Thrown inside an adapter to end the answer; it never leaves `models/`. */
export class ModelFailure extends Error {
  readonly code: ErrorCode
  /** The body of a request's refusal as malformed (400, 422), which may name the field that was not understood. */
  readonly rejection: string

  constructor(code: ErrorCode, message: string, rejection = '') {
    super(message)
    this.name = 'ModelFailure'
    this.code = code
    this.rejection = rejection
  }

  get part(): FailedPart {
    return { type: 'failed', code: this.code, message: this.message }
  }
}
