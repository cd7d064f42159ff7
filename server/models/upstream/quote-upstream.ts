import { normalizeText } from '../../lib/text.ts'

const maxQuoteChars = 300
/** A message that repeats this many characters of the conversation is not quoted. */
const minRepeatedChars = 24

/** What a quote of an upstream must not contain: the key, and the conversation that was sent. */
export interface QuoteGuard {
  readonly key: string | null
  readonly contents: readonly string[]
}

/** Finds the message in an upstream's error body, whatever its shape; `undefined` when there is none. */
export function findUpstreamMessage(body: string): string | undefined {
  try {
    return findMessage(JSON.parse(body), 0)
  } catch {
    const text = body.trim()
    return text !== '' && text.length <= maxQuoteChars && !text.startsWith('<') ? text : undefined
  }
}

export function findMessage(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (typeof value !== 'object' || value === null || depth > 4) return undefined
  if (Array.isArray(value)) return findMessage(value[0], depth + 1)
  for (const key of ['message', 'error', 'detail', 'msg', 'errors'] as const) {
    const found = key in value ? findMessage((value as Record<string, unknown>)[key], depth + 1) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** An upstream's message for a user: on one line, shortened, with keys masked; empty when it repeats the request. */
export function quoteUpstream(message: string | undefined, guard: QuoteGuard): string {
  if (message === undefined) return ''
  const line = normalizeText(message.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim())
  if (guard.contents.some((content) => repeats(line, content))) return ''
  const masked = maskKeys(line, guard.key)
  return masked.length > maxQuoteChars ? `${normalizeText(masked.slice(0, maxQuoteChars))}…` : masked
}

function repeats(line: string, content: string): boolean {
  const flat = content.replace(/\s+/g, ' ').trim()
  if (flat.length < minRepeatedChars) return false
  const head = line.slice(0, 2 * maxQuoteChars)
  for (let at = 0; at + minRepeatedChars <= head.length; at += minRepeatedChars / 2) {
    if (flat.includes(head.slice(at, at + minRepeatedChars))) return true
  }
  return head.includes(flat)
}

function maskKeys(line: string, key: string | null): string {
  let masked = line
  if (key !== null && key !== '') {
    const forms = [key, encodeURIComponent(key), Buffer.from(key).toString('base64')]
    for (const form of forms) masked = masked.replaceAll(form, '•••')
  }
  return masked
    .replace(/\b(bearer\s+)\S{6,}/gi, '$1•••')
    .replace(/\b(?:sk|pk|rk|gsk|xai)[-_][A-Za-z0-9_*-]{6,}|\bAIza[A-Za-z0-9_-]{8,}/g, '•••')
}
