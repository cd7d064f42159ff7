import { normalizeText } from './normalize-text.ts'

/**
 * Removes characters that a user cannot see but a model reads (tag characters), and those that reverse the direction of the
 * text after them.
 */
export function cleanText(text: string): string {
  return normalizeText(text).replaceAll(/[\u{E0000}-\u{E007F}\u202A-\u202E\u2066-\u2069]/gu, '')
}
