/**
 * Normalizes text from outside (§22.11): replaces NUL, which PostgreSQL refuses and where SQLite cuts the text, and halves
 * of surrogate pairs, which neither can store, by U+FFFD.
 */
export function normalizeText(text: string): string {
  // Looking for them is much faster than replacing them, and almost no text has any.
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

/** Returns the first `maxChars` characters of a text, and a line with the number of the omitted ones. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const omitted = (text.length - maxChars).toLocaleString('en')
  return `${text.slice(0, maxChars).toWellFormed()}\n[${omitted} further characters were left out.]`
}

/** Replaces runs of whitespace by one space, so that folded, wrapped and copied texts compare as equal. */
export function collapseSpaces(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
