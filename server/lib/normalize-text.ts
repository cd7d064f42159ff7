/**
 * The one rule for text that enters from outside: no NUL, which PostgreSQL refuses and SQLite cuts at, and no half of a
 * surrogate pair, which neither can store; each becomes U+FFFD.
 */
export function normalizeText(text: string): string {
  // A scan is much cheaper than two replacements, and almost every text is clean.
  if (text.isWellFormed() && !text.includes('\0')) return text
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
