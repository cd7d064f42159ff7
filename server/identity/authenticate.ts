import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import type { Identity } from './identity.ts'
import type { User } from './user.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in user. Null on public routes. */
    user: User | null
    /** The session of the access token. Null when `user` is null, or the provider does not report sessions. */
    sessionId: string | null
  }
}

/** A longer token is refused without being verified. Real ones have a few kilobytes at most. */
const maxTokenChars = 16_384

/**
 * Requires a valid access token for every route of the app that is not declared `public`, and sets the user of the
 * request. The token is read from the Authorization header only. Routes without a schema are those of the web app and
 * of the built-in sign-in (`http/open-api.ts` refuses others).
 */
export function authenticateRequests(
  app: FastifyInstance,
  identity: Pick<Identity, 'verify' | 'sessions'>,
): void {
  app.decorateRequest('user', null)
  app.decorateRequest('sessionId', null)
  app.addHook('onRequest', async (request) => {
    const { schema } = request.routeOptions
    if (schema === undefined || schema.permission === 'public') return
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

/**
 * The access token of a request.
 * @throws AppError `unauthenticated`
 */
export function readBearerToken(request: FastifyRequest): string {
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
