import type { gmail_v1 } from '@googleapis/gmail'
import MailComposer from 'nodemailer/lib/mail-composer'
import { refusal } from '../google/errors.ts'
import { requireAddresses, requireLine, requirePlainText } from '../google/outgoing-text.ts'
import type { GmailClient } from './client.ts'
import { readHeaders, type MailHeaders } from './headers.ts'

export interface MailFields {
  readonly to: readonly string[]
  readonly cc?: readonly string[] | undefined
  readonly bcc?: readonly string[] | undefined
  readonly subject: string
  readonly body: string
}

/** The conversation of an email, and the headers that make it part of that: both contain Message-IDs. */
export interface MailThread {
  readonly threadId?: string | null | undefined
  readonly inReplyTo?: string | undefined
  readonly references?: string | undefined
}

/** The email that a reply answers. `headers` are its own, `inReplyTo` and `references` are those of the reply. */
export interface RepliedMessage extends MailThread {
  readonly headers: MailHeaders
}

/** The References header of a reply has at most this many Message-IDs, those of the newest emails. */
const maxReferences = 50

/**
 * Builds an email as Gmail's API expects it: MIME in base64url, and the conversation that it belongs to. It has no From
 * header, because Google adds the user's name and default address.
 * @throws AppError `invalid_request` for addresses or text that an email cannot contain
 */
export async function buildMail(
  fields: MailFields,
  thread: MailThread = {},
): Promise<gmail_v1.Schema$Message> {
  const { to, cc, bcc } = parseRecipients(fields)
  const mail = new MailComposer({
    to,
    cc,
    bcc,
    subject: requireLine('subject', fields.subject),
    text: requirePlainText('body', fields.body),
    textEncoding: 'quoted-printable',
    inReplyTo: thread.inReplyTo,
    references: thread.references,
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile()
  mail.keepBcc = true
  const mime = (await mail.build()).toString()
  // Without a sender, the library adds a Message-ID at "localhost". Gmail adds a correct one when it is missing.
  const raw = Buffer.from(mime.replace(/^Message-ID:.*\r\n/im, '')).toString('base64url')
  return thread.threadId ? { raw, threadId: thread.threadId } : { raw }
}

/**
 * Returns the recipients, with trimmed addresses.
 * @throws AppError `invalid_request` for anything but plain addresses
 */
export function parseRecipients({ to, cc, bcc }: MailFields): Record<'to' | 'cc' | 'bcc', string[]> {
  return {
    to: requireAddresses('to', to),
    cc: requireAddresses('cc', cc),
    bcc: requireAddresses('bcc', bcc),
  }
}

/** @throws AppError `invalid_request` for an email without recipients */
export function requireRecipient({ to, cc, bcc }: MailFields): void {
  if (to.length + (cc?.length ?? 0) + (bcc?.length ?? 0) > 0) return
  throw refusal('The email has no recipients.', 'sent')
}

/** Reads the email that is replied to, and the headers that add the reply to the same conversation. */
export async function readRepliedMessage({ api }: GmailClient, id: string): Promise<RepliedMessage> {
  const metadataHeaders = [
    'From',
    'To',
    'Cc',
    'Reply-To',
    'Subject',
    'Message-ID',
    'References',
    'In-Reply-To',
  ]
  const { data } = await api.messages.get({ userId: 'me', id, format: 'metadata', metadataHeaders })
  const headers = readHeaders(data.payload)
  const [inReplyTo] = parseMessageIds(headers['message-id'])
  const earlier = parseMessageIds(headers.references ?? headers['in-reply-to'])
  const references = [...earlier, ...(inReplyTo === undefined ? [] : [inReplyTo])].slice(-maxReferences)
  return { headers, threadId: data.threadId ?? '', inReplyTo, references: references.join(' ') || undefined }
}

function parseMessageIds(header: string | undefined): string[] {
  return header?.match(/<[^<>\s]{1,500}>/g) ?? []
}
