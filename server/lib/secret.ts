import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Texts that stand for a secret in an example. */
const placeholder = /at-least-\d|change[-_ ]?me|your[-_]|^your |example|placeholder|<[^<>]*>/i

/** Of generated secrets of 16 hexadecimal digits, one in about 770 million has fewer different characters. */
const minDifferentChars = 4

/** How to make a secret, for messages. */
export const makeSecretHint = 'Create one with: openssl rand -hex 32'

/**
 * Returns why a secret is easy to guess, as the end of a sentence ("is blank"), or undefined when nothing shows that it
 * is.
 */
export function findWeakness(text: string, minChars: number): string | undefined {
  if (text.trim() === '') return 'is blank'
  if (text.trim().length < minChars) return `must have at least ${minChars} characters`
  if (isPlaceholder(text)) return 'is the text of an example'
  if (new Set(text.toLowerCase()).size < minDifferentChars) return 'repeats a few characters'
  if (isRepeated(text.toLowerCase())) return 'repeats itself'
  return isSequence(text.toLowerCase()) ? 'is a sequence of characters' : undefined
}

/** Whether a text looks like the placeholder of an example, such as those in `.env.example`. */
export function isPlaceholder(text: string): boolean {
  return placeholder.test(text)
}

/** Whether a text from outside is a secret. How long the comparison takes reveals nothing but the length. */
export function isSameSecret(text: unknown, secret: string): boolean {
  if (typeof text !== 'string') return false
  const [actual, expected] = [Buffer.from(text), Buffer.from(secret)]
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/** Returns 256 random bits in characters that need no escaping in a URL or a cookie. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes a random secret, so that what is stored of it reveals nothing. Also the PKCE challenge of a verifier (S256). */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

/** Whether a text is the repetition of a part that is at most half as long. The last repetition may be incomplete. */
function isRepeated(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length++)
    if (text.startsWith(text.slice(length))) return true
  return false
}

/** Whether most characters equal the one before them or are next to it, as in `abcdef` or `987654`. */
function isSequence(text: string): boolean {
  let steps = 0
  for (let at = 1; at < text.length; at++)
    if (Math.abs(text.charCodeAt(at) - text.charCodeAt(at - 1)) <= 1) steps++
  return steps > (text.length * 3) / 4
}
