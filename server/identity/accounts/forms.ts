import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { maxBodyBytes } from '../provider/limit-requests.ts'

/** Lets the routes of `scope` accept HTML forms only. Each field is one string. */
export function registerFormBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxBodyBytes },
    (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(String(body))))
    },
  )
}

/**
 * The value of a form's hidden field, which protects against forged requests. `subject` is what the form belongs to: an
 * interaction, a sign-in or a link.
 */
export function makeFormToken(key: string, subject: string): string {
  return createHmac('sha256', key).update(subject).digest('base64url')
}

export function isFormToken(key: string, subject: string, token: unknown): boolean {
  if (typeof token !== 'string') return false
  const expected = Buffer.from(makeFormToken(key, subject))
  const actual = Buffer.from(token)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}
