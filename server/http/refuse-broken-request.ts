import type { ErrorCode } from '@yonder/contract/error'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '../lib/app-error.ts'
import { errorBody } from './error-handler.ts'

/** The requests that Node itself refuses, by its error code. */
const refusals: Readonly<Record<string, readonly [status: number, code: ErrorCode, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'payload_too_large', 'The headers of this request are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    413,
    'payload_too_large',
    'The chunk extensions of this request are too large.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'invalid_request', 'This request took too long to arrive.'],
}

/** Sends an error body for input that Node could not parse as a request, and closes the connection. */
export function refuseBrokenRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  if (socket.writable && error.code !== 'ECONNRESET') {
    const [status, code, message] = refusals[error.code ?? ''] ?? [
      400,
      'invalid_request',
      'This is not HTTP.',
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
