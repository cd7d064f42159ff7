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

/** Returns an error and its causes, the outermost first. At most ten, because causes can be circular. */
export function listCauses(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  for (let at = error; at !== undefined && at !== null && chain.length < 10;) {
    chain.push(at)
    at = at instanceof Error ? at.cause : undefined
  }
  return chain
}

/** Returns our own error among the causes of a library's, such as "fetch failed". */
export function findAppError(error: unknown): AppError | undefined {
  return listCauses(error).find((cause) => cause instanceof AppError)
}
