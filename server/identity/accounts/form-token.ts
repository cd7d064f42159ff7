import { createHmac, timingSafeEqual } from 'node:crypto'

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
