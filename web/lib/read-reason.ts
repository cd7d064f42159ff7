import { ApiError } from './api-error.ts'

/** Why something failed, in words for a person: the server's own sentence when there is one. */
export function readReason(error: unknown): string {
  if (error instanceof ApiError && error.reason) return error.reason
  if (error instanceof Error && error.message) return error.message
  return 'Unknown error'
}
