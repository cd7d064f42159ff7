/** Characters after which a text that grows is flattened for the first time, and at least until the next time. */
const minChars = 128

/**
 * Flattens a growing text when it is due, and returns the length at which it is due next. V8 stores a text that grows by
 * concatenation as a tree, in which a token of five characters takes 64 bytes; flat text takes one byte a character. The
 * distance grows with the text, so all copies together take time linear in its length.
 */
export function flattenAt(dueAt: number, text: string): number {
  if (text.length < dueAt) return dueAt
  // Reading any character makes V8 replace the tree by flat text.
  const isRead = !/\0/y.test(text)
  return text.length + Math.max(minChars, isRead ? text.length >> 3 : 0)
}

/** The first `dueAt`. */
export const firstFlattening = minChars
