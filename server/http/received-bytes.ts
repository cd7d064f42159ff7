import { Readable } from 'node:stream'
import { AppError } from '../lib/app-error.ts'
import type { Api } from './api.ts'

/** Lets the routes of a scope receive bytes, which are not kept in memory. */
export function receiveBytes(api: Api): void {
  api.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
}

/** @throws AppError `unsupported_media_type` for a body that is not sent as bytes */
export function requireBytes(body: unknown): Readable {
  if (body instanceof Readable) return body
  throw new AppError('unsupported_media_type', 'Send the bytes of the file as application/octet-stream.')
}

/**
 * Reads what follows in a refused upload, up to `maxBytes`. Without that, HAProxy 2.6 holds back all later requests of the
 * browser that have a body.
 */
export async function readRest(body: Readable, maxBytes: number): Promise<void> {
  let left = maxBytes
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      left -= part.length
      if (left < 0) return
    }
  } catch {
    // The client has gone.
  }
}
