import { parseJson } from './json-object.ts'
import { toVisibleLine } from './text.ts'

/** Characters of a server's message that are shown to the user. */
const maxQuoteChars = 300
/** Longer responses are not searched for a message. */
const maxResponseChars = 20_000

/**
 * Quotes a message of a server, to be appended to a sentence of ours: visible characters only, on one line, of limited
 * length, and without curly quotation marks, so that the server's text cannot look like ours.
 */
export function quoteServer(message: string): string {
  // More than is shown, because invisible characters and repeated spaces are removed first.
  const visible = toVisibleLine(message.slice(0, maxQuoteChars * 10)).replaceAll(/[“”„‟❝❞〝〞＂]/g, "'")
  if (visible === '') return ''
  const short =
    visible.length <= maxQuoteChars ? visible : `${visible.slice(0, maxQuoteChars).toWellFormed()}…`
  return ` The server says: “${short}”`
}

/** Quotes the message in the body of a response with an error: plain text, or the usual fields of JSON. */
export function quoteResponse(body: unknown): string {
  if (typeof body !== 'string' || body.length > maxResponseChars) return ''
  const message = findMessage(body)
  return message === undefined ? '' : quoteServer(message)
}

/**
 * The body of a response with an error; undefined when it cannot be read, for example because it exceeds the limit of
 * `guardedFetch`.
 */
export async function readErrorBody(response: Response): Promise<string | undefined> {
  try {
    return await response.text()
  } catch {
    return undefined
  }
}

/**
 * Returns an error code of OAuth (RFC 6749, sections 4.1.2.1 and 5.2), or undefined for what does not look like one.
 * Another text may be anything, also a secret that the server repeats, so it is neither logged nor shown.
 */
export function readErrorCode(error: unknown): string | undefined {
  return typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : undefined
}

function findMessage(body: string): string | undefined {
  const text = body.trim()
  // HTML is written for browsers and contains no message to quote.
  if (text.startsWith('<')) return undefined
  if (!/^[[{"]/.test(text)) return dropStackTrace(text)
  const parsed = parseJson(text)
  return parsed === undefined ? text : readMessage(parsed)
}

function dropStackTrace(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('at '))
    .join('\n')
}

const messageFields = ['message', 'error_description', 'detail', 'error', 'title'] as const

function readMessage(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || depth > 2) return undefined
  const fields = value as Readonly<Record<string, unknown>>
  for (const field of messageFields) {
    const message = readMessage(fields[field], depth + 1)
    if (message !== undefined && message !== '') return message
  }
  return undefined
}
