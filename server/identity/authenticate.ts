import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import type { Identity } from './identity.ts'
import type { User } from './user.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in user. Null on routes without `requireBearerToken`. */
    user: User | null
    /** The session of the access token. Null when `user` is null, or the provider does not report sessions. */
    sessionId: string | null
  }
}

/** A longer token is refused without being verified. Real ones have a few kilobytes at most. */
const maxTokenChars = 16_384

/** Adds `user` and `sessionId` to every request of the app. Both are null until `requireBearerToken` sets them. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('user', null)
  app.decorateRequest('sessionId', null)
}

/**
 * Requires a valid access token for every request to the routes of `scope`, and sets the user of the request. The token
 * is read from the Authorization header only.
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

/**
 * The signed-in user of a request.
 * @throws AppError `unauthenticated`
 */
export function requireUser(request: FastifyRequest): User {
  if (request.user === null) throw new AppError('unauthenticated', 'Sign in first.')
  return request.user
}

function readBearerToken(request: FastifyRequest): string {
  // `headers` joins or drops repeated headers. Only `rawHeaders` contains a second one.
  const headers = request.raw.rawHeaders.filter(
    (_, index, list) => index % 2 === 1 && list[index - 1]?.toLowerCase() === 'authorization',
  )
  const [header] = headers
  const token = headers.length === 1 ? /^Bearer ([\w.~+/-]+=*)$/i.exec(header ?? '')?.[1] : undefined
  if (token === undefined || token.length > maxTokenChars) {
    throw new AppError('unauthenticated', 'This request has no valid access token. Sign in first.')
  }
  return token
}
