import type { ErrorCode } from '@yonder/contract/error'

/**
 * The one error class. The user reads `message`; what must not leave the server belongs into `cause`. Any other thrown
 * value counts as a defect and is sent as `internal`.
 */
export class AppError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'AppError'
    this.code = code
  }
}
