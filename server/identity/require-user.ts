import type { FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import type { User } from './user.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on routes without the bearer guard. */
    user: User | null
    /** The session of its access token; null when the provider does not report sessions. */
    sessionId: string | null
  }
}

/**
 * The signed-in user of a request.
 * @throws AppError `unauthenticated`
 */
export function requireUser(request: FastifyRequest): User {
  if (request.user === null) throw new AppError('unauthenticated', 'Sign in first.')
  return request.user
}
