import type { FastifyInstance } from 'fastify'
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The largest form has three short fields. */
const maxBodyBytes = 16_384

/** Makes a scope accept HTML forms only. Every field is one string. */
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

/** A token that proves that a form comes from our page for this interaction. */
export function makeFormToken(key: string, subject: string): string {
  return createHmac('sha256', key).update(subject).digest('base64url')
}

export function isFormToken(key: string, subject: string, token: unknown): boolean {
  if (typeof token !== 'string') return false
  const expected = Buffer.from(makeFormToken(key, subject))
  const found = Buffer.from(token)
  return expected.length === found.length && timingSafeEqual(expected, found)
}
