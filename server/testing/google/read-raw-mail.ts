import type { gmail_v1 } from '@googleapis/gmail'
import PostalMime, { addressParser } from 'postal-mime'
import { GoogleApiError } from './google-api-error.ts'
import { newMailId, toBody } from './mailbox.ts'

/** A mail that was handed in as MIME, as Gmail gives it back; it says who sends it when the mail does not. */
export async function readRawMail(
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
 * Everybody whom a mail goes to.
 * @throws GoogleApiError as Google does for a mail to nobody, or to what is no address
 */
export function requireRecipientsOf(payload: gmail_v1.Schema$MessagePart): string[] {
  const found = (payload.headers ?? [])
    .filter(({ name }) => ['to', 'cc', 'bcc'].includes(name?.toLowerCase() ?? ''))
    .flatMap(({ value }) => addressParser(value ?? ''))
    .map(({ address }) => address ?? '')
  if (found.length === 0) throw new GoogleApiError(400, 'Recipient address required')
  if (found.some((address) => !/^[^@\s]+@[^@\s]+$/.test(address)))
    throw new GoogleApiError(400, 'Invalid To header')
  return found
}
