import type { ErrorCode } from '@yonder/contract/error'
import { AppError } from '../lib/app-error.ts'
import type { ModelOptions, ModelPart } from './model.ts'

export type FailedPart = Extract<ModelPart, { type: 'failed' }>
type FailureDetails = Pick<FailedPart, 'contextWindow' | 'file'>

/**
 * The failure of a call to a model, with a message for the user. In an adapter it ends the reply as a `failed` part.
 * `listModels` throws it.
 */
export class ModelFailure extends Error {
  readonly code: ErrorCode
  /**
   * The body of an error response, or the error that the upstream sent in a response, if it may name a field that the
   * upstream does not support. Empty for other failures.
   */
  readonly rejection: string
  readonly details: FailureDetails

  constructor(code: ErrorCode, message: string, rejection = '', details: FailureDetails = {}) {
    super(message)
    this.name = 'ModelFailure'
    this.code = code
    this.rejection = rejection
    this.details = details
  }
}

/** The model does not support an option of the request, or not with this value. The call is repeated without it. */
export class RefusedOption extends Error {
  readonly option: keyof ModelOptions

  constructor(option: keyof ModelOptions) {
    super(`The model does not support ${option}.`)
    this.name = 'RefusedOption'
    this.option = option
  }
}

/**
 * The last part of a failed reply. An error other than `ModelFailure` and `AppError` is a defect; its details are not
 * shown.
 */
export function toFailedPart(error: unknown): FailedPart {
  if (error instanceof ModelFailure)
    return { type: 'failed', code: error.code, message: error.message, ...error.details }
  if (error instanceof AppError) return { type: 'failed', code: error.code, message: error.message }
  return {
    type: 'failed',
    code: 'internal',
    message:
      'The reply could not be read because of a defect in this server. Try again, or report it to the operator.',
  }
}
