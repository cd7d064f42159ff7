import type { ErrorCode } from '@yonder/contract/error'
import { AppError } from '../lib/app-error.ts'
import type { ModelPart } from './model.ts'

export type FailedPart = Extract<ModelPart, { type: 'failed' }>

/** Thrown inside an adapter to end the answer; it never leaves `models/`. */
export class ModelFailure extends Error {
  readonly code: ErrorCode
  /** The body of a request's refusal, which may name the field that was not understood. */
  readonly rejection: string

  constructor(code: ErrorCode, message: string, rejection = '') {
    super(message)
    this.name = 'ModelFailure'
    this.code = code
    this.rejection = rejection
  }
}

/** The last part of an answer that failed; what is no failure of an upstream is a defect, and says nothing else. */
export function toFailedPart(error: unknown): FailedPart {
  if (error instanceof ModelFailure || error instanceof AppError) {
    return { type: 'failed', code: error.code, message: error.message }
  }
  return {
    type: 'failed',
    code: 'internal',
    message: 'The answer could not be read because of a defect in this server.',
  }
}
