import type { ErrorCode } from '@yonder/contract/error'

/**
 * The one class of errors that users see: `message` is sent to them, `cause` is only logged. Errors of the database and
 * refusals of Fastify are converted to it (`http/error-handler.ts`). Any other thrown value counts as a defect and is
 * sent as `internal`.
 */
export class AppError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'AppError'
    this.code = code
  }
}
