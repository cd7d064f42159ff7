import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { AppError } from '../lib/app-error.ts'

/** A longer token is refused unread: real ones are a few kilobytes at most. */
const longestToken = 16_384

export interface BearerGuardOptions {
  /** Takes the token to whoever it stands for, and remembers them on the request. Throws `unauthenticated` when it stands for nobody. */
  readonly admit: (request: FastifyRequest, token: string) => Promise<void>
}

/** Lets a request pass only with one bearer token in the Authorization header; no other place is read. */
export function createBearerGuard({ admit }: BearerGuardOptions): onRequestAsyncHookHandler {
  return async function guard(request) {
    // Node joins or drops repeated headers in `headers`; only the raw list shows a second one.
    const headers = request.raw.rawHeaders.filter(
      (_, index, list) => index % 2 === 1 && list[index - 1]?.toLowerCase() === 'authorization',
    )
    const [header] = headers
    const token = headers.length === 1 ? /^Bearer ([\w.~+/-]+=*)$/i.exec(header ?? '')?.[1] : undefined
    if (token === undefined || token.length > longestToken) {
      throw new AppError('unauthenticated', 'Sign in first: this call needs an access token.')
    }
    await admit(request, token)
  }
}
