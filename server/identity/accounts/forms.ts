import type { FastifyInstance } from 'fastify'
import { createHmac, timingSafeEqual } from 'node:crypto'

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

/** Stands in a form and says: this page of ours, for this interaction. */
export function makeFormToken(key: string, subject: string): string {
  return createHmac('sha256', key).update(subject).digest('base64url')
}

export function isFormToken(key: string, subject: string, token: unknown): boolean {
  if (typeof token !== 'string') return false
  const expected = Buffer.from(makeFormToken(key, subject))
  const found = Buffer.from(token)
  return expected.length === found.length && timingSafeEqual(expected, found)
}
