import MailComposer from 'nodemailer/lib/mail-composer'
import { AppError } from '../../lib/app-error.ts'
import { requireAddresses } from '../google/require-addresses.ts'
import { requireLine, requirePlainText } from '../google/require-plain-text.ts'

export interface MailFields {
  readonly to: readonly string[]
  readonly cc?: readonly string[] | undefined
  readonly bcc?: readonly string[] | undefined
  readonly subject: string
  readonly body: string
}

/** Where a mail stands in a conversation, by the Message-IDs before it. */
export interface MailThread {
  readonly inReplyTo?: string | undefined
  readonly references?: string | undefined
}

/**
 * A mail as Google takes it: MIME, in base64url. Who sends it is left to Google, which knows the person's name and
 * default address.
 * @throws AppError `invalid_request` for addresses or text that cannot go into a mail
 */
export async function buildMail(fields: MailFields, thread: MailThread = {}): Promise<string> {
  const { to, cc, bcc } = requireRecipients(fields)
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
  // Without a sender its Message-ID would be of "localhost". Gmail gives a better one.
  return Buffer.from(mime.replace(/^Message-ID:.*\r\n/im, '')).toString('base64url')
}

/** @throws AppError `invalid_request` */
export function requireRecipients({ to, cc, bcc }: MailFields): Record<'to' | 'cc' | 'bcc', string[]> {
  return {
    to: requireAddresses('to', to),
    cc: requireAddresses('cc', cc),
    bcc: requireAddresses('bcc', bcc),
  }
}

/**
 * A mail that goes out needs somebody to go to.
 * @throws AppError `invalid_request`
 */
export function requireSomebody({ to, cc, bcc }: MailFields): void {
  if (to.length + (cc?.length ?? 0) + (bcc?.length ?? 0) > 0) return
  throw new AppError('invalid_request', 'The mail has no recipient. Nothing was sent.')
}
