import type { FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import type { User } from './user.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent it; null where no guard stands before the route. */
    user: User | null
    /** Names the sign-in it was sent with; null where that is not known. */
    signIn: string | null
  }
}

/**
 * The signed-in person behind a request.
 * @throws AppError `unauthenticated`
 */
export function requireUser(request: FastifyRequest): User {
  if (request.user === null) throw new AppError('unauthenticated', 'Sign in first.')
  return request.user
}
