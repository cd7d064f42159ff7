import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import type { Identity } from './identity.ts'

/** Real tokens have a few kilobytes at most; a longer one is refused without being verified. */
const maxTokenChars = 16_384

/** Adds `user` and `sessionId` to every request of the app. Both are null until `requireBearerToken` sets them. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('user', null)
  app.decorateRequest('sessionId', null)
}

/**
 * Lets a request to this scope pass only with an access token in its Authorization header; no other place is read
 * (§6.1, §6.3).
 */
export function requireBearerToken(
  scope: FastifyInstance,
  identity: Pick<Identity, 'verify' | 'sessions'>,
): void {
  scope.addHook('onRequest', async (request) => {
    const token = readBearerToken(request)
    request.user = await identity.verify(token)
    request.sessionId = identity.sessions?.idOf(token) ?? null
  })
}

function readBearerToken(request: FastifyRequest): string {
  // Node joins or drops repeated headers in `headers`; only the raw list shows a second one.
  const headers = request.raw.rawHeaders.filter(
    (_, index, list) => index % 2 === 1 && list[index - 1]?.toLowerCase() === 'authorization',
  )
  const [header] = headers
  const token = headers.length === 1 ? /^Bearer ([\w.~+/-]+=*)$/i.exec(header ?? '')?.[1] : undefined
  if (token === undefined || token.length > maxTokenChars) {
    throw new AppError('unauthenticated', 'Sign in first: this call needs an access token.')
  }
  return token
}
