import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { AppError } from '../lib/app-error.ts'
import { normalizeText } from '../lib/text.ts'

/** A Fastify scope whose routes declare their bodies and responses as zod schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

/** The id in a path. Its form is not checked, so that a malformed id is `not_found` like an unknown one. */
export const AnyId = z.object({ id: z.string().transform(normalizeText) })

/** The refusal of a request that arrives while the server shuts down. */
export function shuttingDown(): AppError {
  return new AppError('unavailable', 'Yonder is shutting down. Try again in a moment.')
}
