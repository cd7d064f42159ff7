import { z } from 'zod'

/** The codes with which a call of another server fails. */
export const upstreamErrors = [
  'address_refused',
  'upstream_refused_key',
  'upstream_rate_limited',
  'upstream_unreachable',
  'upstream_timeout',
  'upstream_invalid',
  'upstream_error',
  'upstream_cut',
  'output_limit',
] as const

/**
 * The codes of all errors, in responses and inside the server. A code does not change, so clients may switch on it.
 * `server/http/error-handler.ts` maps each code to an HTTP status.
 */
export const errorCodes = [
  'invalid_request',
  'unauthenticated',
  'identity_unavailable',
  'forbidden',
  'sign_in_too_old',
  'not_found',
  'chat_deleted',
  'conflict',
  'name_taken',
  'not_connected',
  'run_active',
  'not_resumable',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'bot_misconfigured',
  ...upstreamErrors,
  'tool_unavailable',
  'context_exceeded',
  'file_refused',
  'interrupted',
  'storage_full',
  'restarting',
  'unavailable',
  'internal',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** An error in a response: in the body when the status is an error, and in the `error` event of a stream. */
export const ErrorDetail = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
})
export type ErrorDetail = z.infer<typeof ErrorDetail>

export const ErrorBody = z.object({ error: ErrorDetail })
export type ErrorBody = z.infer<typeof ErrorBody>
