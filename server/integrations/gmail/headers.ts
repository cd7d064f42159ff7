import type { gmail_v1 } from '@googleapis/gmail'
import addressParser from 'nodemailer/lib/addressparser'
import { decodeWords } from 'postal-mime'

/** The headers that are read. */
const headerNames = [
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
type HeaderName = (typeof headerNames)[number]

export type MailHeaders = Readonly<Partial<Record<HeaderName, string>>>

const maxHeaderChars = 10_000

/** The first header with each name of `headerNames`, decoded to text on one line. */
export function readHeaders(payload: gmail_v1.Schema$MessagePart | undefined): MailHeaders {
  const found: Partial<Record<HeaderName, string>> = {}
  const missing = new Set<string>(headerNames)
  for (const { name, value } of payload?.headers ?? []) {
    const key = name?.toLowerCase() ?? ''
    if (!missing.delete(key)) continue
    found[key as HeaderName] = decode((value ?? '').slice(0, maxHeaderChars))
    if (missing.size === 0) break
  }
  return found
}

/** Whether `readHeaders` returns all of these headers: each occurs at most once and is not cut. */
export function areHeadersComplete(
  payload: gmail_v1.Schema$MessagePart | undefined,
  names: readonly HeaderName[],
): boolean {
  return names.every((expected) => {
    const found = (payload?.headers ?? []).filter(({ name }) => name?.toLowerCase() === expected)
    return found.length <= 1 && found.every(({ value }) => (value ?? '').length <= maxHeaderChars)
  })
}

/** The addresses in a header without their names, in lower case and without duplicates. */
export function parseAddresses(header: string | undefined): string[] {
  if (header === undefined) return []
  const found = addressParser(header, { flatten: true })
  return [...new Set(found.map(({ address }) => address.toLowerCase()).filter((address) => address !== ''))]
}

function decode(value: string): string {
  return decodeWords(value.replaceAll(/[\r\n\t]+/g, ' ')).trim()
}
