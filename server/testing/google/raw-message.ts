import type { gmail_v1 } from '@googleapis/gmail'
import PostalMime, { addressParser } from 'postal-mime'
import { GoogleApiError } from './google-api-error.ts'
import { newMailId, toBody } from './mailbox.ts'

/** Converts a plain-text MIME message to Gmail's form. Adds missing From and Message-ID headers. */
export async function parseRawMessage(
  raw: string | null | undefined,
  account: string,
): Promise<gmail_v1.Schema$MessagePart> {
  if (!raw || !/^[\w-]+=*$/.test(raw))
    throw new GoogleApiError(400, "'raw' RFC822 payload message string is required")
  const mail = await PostalMime.parse(Buffer.from(raw, 'base64url'))
  const headers = mail.headers.map(({ originalKey, value }) => ({ name: originalKey, value }))
  if (mail.from === undefined) headers.unshift({ name: 'From', value: account })
  if (mail.messageId === undefined) {
    headers.push({ name: 'Message-ID', value: `<${newMailId()}@mail.gmail.com>` })
  }
  return {
    partId: '',
    mimeType: 'text/plain',
    filename: '',
    headers,
    body: toBody((mail.text ?? '').replace(/\n$/, '')),
  }
}

/**
 * Checks the recipients of a message.
 * @throws GoogleApiError as Google does, when there are none or one is not an address
 */
export function requireRecipients(payload: gmail_v1.Schema$MessagePart): void {
  const found = (payload.headers ?? [])
    .filter(({ name }) => ['to', 'cc', 'bcc'].includes(name?.toLowerCase() ?? ''))
    .flatMap(({ value }) => addressParser(value ?? ''))
    .map(({ address }) => address ?? '')
  if (found.length === 0) throw new GoogleApiError(400, 'Recipient address required')
  if (found.some((address) => !/^[^@\s]+@[^@\s]+$/.test(address)))
    throw new GoogleApiError(400, 'Invalid To header')
}
