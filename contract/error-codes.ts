/**
 * Every failure that Yonder names, on the wire and inside the server. A code is stable: clients may switch on it.
 * `server/http/error-handler.ts` maps each one to its HTTP status.
 */
export const errorCodes = [
  'invalid_request',
  'unauthenticated',
  'identity_unavailable',
  'forbidden',
  'not_found',
  'conflict',
  'name_taken',
  'not_connected',
  'run_active',
  'not_resumable',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'address_refused',
  'bot_misconfigured',
  'upstream_refused_key',
  'upstream_rate_limited',
  'upstream_unreachable',
  'upstream_timeout',
  'upstream_invalid',
  'upstream_error',
  'upstream_cut',
  'output_limit',
  'tool_unavailable',
  'interrupted',
  'storage_full',
  'unavailable',
  'internal',
] as const

export type ErrorCode = (typeof errorCodes)[number]
