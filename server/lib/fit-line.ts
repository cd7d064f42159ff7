import { isObject, parseJson } from './json-object.ts'
import { cutText } from './text.ts'

/** Bytes of a line of the log. Many tools for logs split or refuse longer ones. */
const maxLineBytes = 4_000
/** Characters to which the texts of a line are cut, until the line fits. */
const textLengths = [2_000, 1_000, 500, 250, 120, 60]

/**
 * Returns a line of the log, JSON with a line feed, that is at most `maxLineBytes` long. The texts of a longer one are
 * cut, the longest ones first.
 */
export function fitLine(line: string): string {
  // A UTF-16 unit has at most three bytes.
  if (line.length * 3 <= maxLineBytes || Buffer.byteLength(line) <= maxLineBytes) return line
  const entry = parseJson(line)
  for (const maxChars of textLengths) {
    const shorter = `${JSON.stringify(cutTexts(entry, maxChars))}\n`
    if (Buffer.byteLength(shorter) <= maxLineBytes) return shorter
  }
  const { level, time, msg } = isObject(entry) ? entry : {}
  return `${JSON.stringify({ level, time, msg: cutText(String(msg), 250), cut: true })}\n`
}

function cutTexts(value: unknown, maxChars: number): unknown {
  if (typeof value === 'string') return cutText(value, maxChars)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, maxChars))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutTexts(item, maxChars)]))
}
