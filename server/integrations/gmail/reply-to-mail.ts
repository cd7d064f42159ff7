import { z } from 'zod'
import { AppError } from '../../lib/app-error.ts'
import { googleTool } from '../google/google-tool.ts'
import { requireRecipients } from './build-mail.ts'
import type { MailFields } from './build-mail.ts'
import { requireSameSubject } from './check-subjects.ts'
import { findMailThread } from './find-mail-thread.ts'
import type { GmailClient } from './gmail-client.ts'
import { mailFields, messageId, recipients } from './mail-ids.ts'
import { readAddresses } from './read-addresses.ts'
import type { MailHeaders } from './read-headers.ts'
import { describeSent } from './send-mail.ts'
import { sendMailOnce } from './send-mail-once.ts'

export const replyToMessage = googleTool({
  name: 'reply_to_message',
  title: 'Reply to a mail',
  description:
    'Answers a mail, in its conversation. It cannot be taken back. It goes to those named in "to" and "cc", who must be its sender (or Reply-To) and recipients: to bring in others, use send_message.',
  effect: 'adds',
  input: z.object({
    message_id: messageId,
    to: recipients.min(1).describe('Plain addresses: usually of the sender only.'),
    cc: recipients.optional().describe('Plain addresses of others in the conversation, to answer all.'),
    subject: z.string().max(900).describe('The subject of the mail, with "Re: " before it.'),
    body: mailFields.body,
  }),
  async run(client: GmailClient, { message_id: id, ...fields }) {
    const { headers, ...thread } = await findMailThread(client, id)
    requireParticipants(headers, fields)
    requireSameSubject(bareSubject(headers.subject ?? ''), bareSubject(fields.subject))
    return describeSent(await sendMailOnce(client, fields, thread), fields)
  },
})

/** @throws AppError `invalid_request` naming who is not part of the conversation */
function requireParticipants(headers: MailHeaders, fields: MailFields): void {
  const { to, cc } = requireRecipients(fields)
  const names = ['from', 'reply-to', 'to', 'cc'] as const
  const known = new Set(names.flatMap((name) => readAddresses(headers[name])))
  const stranger = [...to, ...cc].find((address) => !known.has(address.toLowerCase()))
  if (stranger === undefined) return
  throw new AppError(
    'invalid_request',
    `${stranger} is not part of this conversation, whose addresses are ${[...known].slice(0, 20).join(', ')}. Nothing was sent.`,
  )
}

/** Without the signs of answers before it. */
function bareSubject(subject: string): string {
  return subject.replace(/^(\s*(re|aw|sv|antw|rép)\s*:)+/i, '').trim()
}
