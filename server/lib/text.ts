/**
 * The one rule for text from outside: no NUL, which PostgreSQL refuses and SQLite cuts at, and no half of a surrogate
 * pair, which neither can store. Each becomes U+FFFD (§22.11).
 */
export function normalizeText(text: string): string {
  // A scan is much cheaper than two replacements, and almost every text is clean.
  if (text.isWellFormed() && !text.includes('\0')) return text
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/**
 * Normalizes a text and removes characters that a user cannot see but a model reads (tag characters), and those that
 * reverse the direction of the text after them.
 */
export function cleanText(text: string): string {
  return normalizeText(text).replaceAll(/[\u{E0000}-\u{E007F}\u202A-\u202E\u2066-\u2069]/gu, '')
}

/** Keeps the first `maxChars` characters of a text and says how many were left out. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const omitted = (text.length - maxChars).toLocaleString('en')
  return `${text.slice(0, maxChars).toWellFormed()}\n[${omitted} further characters were left out.]`
}

/** Replaces runs of whitespace by one space, so that folded, wrapped and copied texts compare as equal. */
export function collapseSpaces(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
