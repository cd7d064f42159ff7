/** Of the thread in which large messages are parsed. */
export const maxMessageHeapMb = 256

/**
 * Parsed JSON takes up to some thirty times its length (`[[[…`). The parser of V8 does not stop at the limit of a thread:
 * from Node 22 on it ends the whole process. So a message that might reach the limit is not parsed at all.
 */
const maxLength = (maxMessageHeapMb * 1024 * 1024) / 40
/**
 * Brackets and commas of a longer message. Its strings take a few times their length, and each value or key of an object
 * up to some two hundred bytes.
 */
const maxValues = 250_000

const [quote, backslash, comma, list, object] = Array.from('"\\,[{', (sign) => sign.charCodeAt(0))

/** Whether a message, as text or UTF-8, can be parsed in the memory of the thread: one with large files can. */
export function isParsable(message: string | Uint8Array): boolean {
  if (message.length <= maxLength) return true
  const isText = typeof message === 'string'
  let values = 0
  let isInString = false
  for (let at = 0; at < message.length; at++) {
    const code = isText ? message.charCodeAt(at) : message[at]
    if (isInString && code === backslash) at += 1
    else if (code === quote) isInString = !isInString
    else if (!isInString && (code === comma || code === list || code === object)) values += 1
  }
  return values <= maxValues
}
