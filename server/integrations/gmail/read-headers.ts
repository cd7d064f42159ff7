import type { gmail_v1 } from '@googleapis/gmail'
import { decodeWords } from 'postal-mime'

/** The headers that are read; of a mail with ten thousand, the others are passed by. */
const wanted = [
  'from',
  'to',
  'cc',
  'bcc',
  'reply-to',
  'subject',
  'message-id',
  'references',
  'in-reply-to',
] as const
type HeaderName = (typeof wanted)[number]

export type MailHeaders = Readonly<Partial<Record<HeaderName, string>>>

/** Characters of one header. */
const longestHeader = 10_000

/** The first of each header that matters, as text on one line. */
export function readHeaders(payload: gmail_v1.Schema$MessagePart | undefined): MailHeaders {
  const found: Partial<Record<HeaderName, string>> = {}
  const missing = new Set<string>(wanted)
  for (const { name, value } of payload?.headers ?? []) {
    const key = name?.toLowerCase() ?? ''
    if (!missing.delete(key)) continue
    found[key as HeaderName] = decode((value ?? '').slice(0, longestHeader))
    if (missing.size === 0) break
  }
  return found
}

/** Whether `readHeaders` tells all that a mail says under these names: each comes once at most, and is not cut. */
export function isReadWhole(
  payload: gmail_v1.Schema$MessagePart | undefined,
  names: readonly HeaderName[],
): boolean {
  return names.every((wantedName) => {
    const found = (payload?.headers ?? []).filter(({ name }) => name?.toLowerCase() === wantedName)
    return found.length <= 1 && found.every(({ value }) => (value ?? '').length <= longestHeader)
  })
}

function decode(value: string): string {
  return decodeWords(value.replaceAll(/[\r\n\t]+/g, ' ')).trim()
}
