import type { ErrorCode } from '@yonder/contract/error'

/**
 * The one error class. `message` is written for the person who reads it; whatever must stay inside goes into `cause`.
 * Anything else that is thrown counts as a defect and is answered as `internal`.
 */
export class AppError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'AppError'
    this.code = code
  }
}
