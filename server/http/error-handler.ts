import { STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode, ErrorBody } from '@yonder/contract/error'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { errorCode } from '../lib/describe-error.ts'
import { findExhausted } from '../lib/exhausted.ts'
import { cutText } from '../lib/text.ts'

/** The HTTP status of each error code. */
export const statusOf: Readonly<Record<ErrorCode, number>> = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  sign_in_too_old: 403,
  not_found: 404,
  chat_deleted: 404,
  conflict: 409,
  name_taken: 409,
  not_connected: 409,
  run_active: 409,
  not_resumable: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  address_refused: 422,
  bot_misconfigured: 422,
  rate_limited: 429,
  internal: 500,
  upstream_refused_key: 502,
  upstream_rate_limited: 502,
  upstream_unreachable: 502,
  upstream_invalid: 502,
  upstream_error: 502,
  upstream_cut: 502,
  output_limit: 502,
  tool_unavailable: 502,
  context_exceeded: 502,
  file_refused: 502,
  identity_unavailable: 503,
  interrupted: 503,
  restarting: 503,
  unavailable: 503,
  upstream_timeout: 504,
  storage_full: 507,
}

/** Seconds after which a client may repeat a request that the server could not execute at the moment. */
export const retryAfterSeconds = 5
/** The same for a request that another node can execute now, or this one after its restart. */
const retryAfterRestartSeconds = 1

/** Returns the error to send when the database caused the given one, and null otherwise. */
export type ToStorageError = (error: unknown) => AppError | null

/** The codes for the errors that Fastify throws before a route runs, by their status. */
const codeOfStatus: Readonly<Record<number, ErrorCode>> = {
  404: 'not_found',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
}

/**
 * Returns a handler that sends every error in the same form. An unexpected one is sent as `internal` with the
 * id of the request; its cause is only logged.
 */
export function createErrorHandler(toStorageError: ToStorageError) {
  return function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const known = toAppError(error, request, toStorageError)
    const status = statusOf[known.code]
    if (status >= 500 && known.code !== 'restarting')
      request.log.error({ err: error, code: known.code }, 'request failed')
    else request.log.info({ code: known.code, reason: known.message }, 'request refused')
    if (known.code === 'unavailable') reply.header('retry-after', retryAfterSeconds)
    if (known.code === 'restarting') reply.header('retry-after', retryAfterRestartSeconds)
    if (known.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer')
    reply.status(status).type('application/json; charset=utf-8')
    if (known.code === 'payload_too_large') void sendAfterBody(request, reply, known)
    else void reply.send(errorBody(known))
  }
}

async function sendAfterBody(request: FastifyRequest, reply: FastifyReply, error: AppError): Promise<void> {
  await discardBody(request.raw)
  void reply.send(errorBody(error))
}

/** How much of a refused body is read, and for how long. */
const maxDiscardedBytes = 4_000_000
const maxDiscardMs = 2_000

/**
 * Reads the rest of a body. If the response closed the connection earlier, the connection would be reset, and a client
 * or a proxy that is still sending would not read the response.
 */
async function discardBody(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, maxDiscardMs)
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxDiscardedBytes) end()
    })
    for (const event of ['end', 'close', 'error']) request.once(event, end)

    function end(): void {
      clearTimeout(timer)
      resolve()
    }
  })
}

/** Characters of a message, which may quote the request or another server. */
const maxMessageChars = 2_000

/** The wire form of an error. */
export function errorBody({ code, message }: AppError): ErrorBody {
  return { error: { code, message: cutText(message, maxMessageChars) } }
}

/** Converts any thrown value to the error that is sent to the user. */
export function toAppError(
  error: unknown,
  request: Pick<FastifyRequest, 'id'>,
  toStorageError: ToStorageError,
): AppError {
  if (error instanceof AppError) return error
  const exhausted = findExhausted(error)
  if (exhausted !== undefined) return new AppError('unavailable', exhausted.user, { cause: error })
  const storageError = toStorageError(error)
  if (storageError !== null) return storageError
  const status = error instanceof Error ? ((error as FastifyError).statusCode ?? 500) : 500
  if (error instanceof Error && status >= 400 && status < 500) {
    // Fastify's message contains the address, which may have the id of a shared chat or an authorization code.
    const message = errorCode(error) === 'FST_ERR_BAD_URL' ? 'This address is not valid.' : error.message
    return new AppError(codeOfStatus[status] ?? 'invalid_request', message, { cause: error })
  }
  return new AppError(
    'internal',
    `Something went wrong on the server. Try again, or send the request id ${request.id} to the operator of this server.`,
    {
      cause: error,
    },
  )
}

/** The responses to some requests that Node refuses before Fastify sees them, by the code of its error. */
const refusals: Readonly<Record<string, readonly [status: number, code: ErrorCode, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'payload_too_large',
    'The headers of this request are too large. Send fewer or shorter ones.',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    413,
    'payload_too_large',
    'The chunk extensions of this request are too large. Send the body without them.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'invalid_request', 'This request took too long to arrive. Send it again.'],
}

/** Sends an error body for a request that Node refused, and closes the connection. */
export function refuseBrokenRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  if (socket.writable && error.code !== 'ECONNRESET') {
    const [status, code, message] = refusals[error.code ?? ''] ?? [
      400,
      'invalid_request',
      'This is not a valid HTTP request.',
    ]
    const body = JSON.stringify(errorBody(new AppError(code, message)))
    socket.write(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'content-type: application/json; charset=utf-8',
        `content-length: ${Buffer.byteLength(body)}`,
        'connection: close',
        '',
        body,
      ].join('\r\n'),
    )
  }
  socket.destroy(error)
}
