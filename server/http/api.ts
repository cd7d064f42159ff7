import type { ErrorCode } from '@yonder/contract/error'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { normalizeText } from '../lib/text.ts'

/** A Fastify scope whose routes declare their bodies and responses as zod schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

/**
 * Who may make a call: everyone, every signed-in user, or the user who owns all rows that the request names. For others
 * such a row does not exist (`not_found`).
 */
export type Permission = 'public' | 'user' | 'owner'

declare module 'fastify' {
  interface FastifySchema {
    /** `identity/authenticate.ts` requires a sign-in by it, and the stores the ownership of rows. */
    readonly permission: Permission
    /** The codes of the errors that only this route responds with. `errorsOf` adds those of all routes like it. */
    readonly errors: readonly ErrorCode[]
  }
}

/**
 * Declares a route: who may call it, what it does, the codes of its own errors, and the schemas of its input and output.
 * `/api/openapi.json` shows all of it.
 */
export function route<
  const Schema extends Pick<FastifySchema, 'params' | 'querystring' | 'body' | 'response'>,
>(permission: Permission, summary: string, errors: readonly ErrorCode[], schema: Schema) {
  return { schema: { permission, summary, errors, ...schema } }
}

/** The schema of a public route that the OpenAPI document omits. */
export const unpublished = { hide: true, permission: 'public', errors: [] } as const

/** The id in a path. Its form is not checked, so that a malformed id is `not_found` like an unknown one. */
export const AnyId = z.object({ id: z.string().transform(normalizeText) })
