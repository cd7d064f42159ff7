import type { ErrorCode } from '@yonder/contract/error'

/**
 * An error that a request responds with: `message` is sent to the user, `cause` is only logged. Errors of the database
 * and refusals of Fastify are converted to it (`http/error-handler.ts`). Anything else that a route throws counts as a
 * defect and is sent as `internal`.
 */
export class AppError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'AppError'
    this.code = code
  }
}
