import type { FastifyInstance } from 'fastify'

/** Bytes; the largest form has three short fields. */
const bodyLimit = 16_384

/** Lets a scope read HTML forms, and nothing else: every field is one string. */
export function registerFormBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit },
    (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(String(body))))
    },
  )
}
