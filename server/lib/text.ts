import { removeInvisible } from '@yonder/contract/lib/invisible'

/**
 * Normalizes text from outside: replaces NUL, which PostgreSQL refuses and where SQLite cuts the text, and
 * halves of surrogate pairs, which neither can store, by U+FFFD.
 */
export function normalizeText(text: string): string {
  // Looking for them is much faster than replacing them, and almost no text has any.
  if (text.isWellFormed() && !text.includes('\0')) return text
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Normalizes a text from outside and removes what a model would read and the user cannot see. */
export function cleanText(text: string): string {
  return removeInvisible(normalizeText(text))
}

/** Returns a text from outside on one line, without control and invisible characters. */
export function toVisibleLine(text: string): string {
  return collapseSpaces(cleanText(text.replaceAll(/\p{Cc}/gu, ' ')))
}

/**
 * Cuts a text of more than `maxChars` UTF-16 units, and adds a line that says how many were left out. A shorter text is
 * returned unchanged.
 */
export function cutWithNote(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const omitted = (text.length - maxChars).toLocaleString('en')
  return `${text.slice(0, maxChars).toWellFormed()}\n[${omitted} further characters were left out.]`
}

/** Cuts a text of more than `maxChars` UTF-16 units, and ends it with an ellipsis. */
export function cutText(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars).toWellFormed()}…`
}

/** Cuts a text to at most `maxChars` UTF-16 units, the ellipsis included. */
export function fitText(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : cutText(text, maxChars - 1)
}

/** Whether a request header can carry a secret: ASCII letters, digits and symbols, without spaces. */
export function isHeaderSecret(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text)
}

/** Returns an address or a path without the slashes at its end. */
export function trimSlashes(address: string): string {
  let end = address.length
  while (address[end - 1] === '/') end--
  return address.slice(0, end)
}

/** Trims a text and replaces runs of whitespace by one space, so that wrapped and copied texts compare as equal. */
export function collapseSpaces(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
