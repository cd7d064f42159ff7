import type { gmail_v1 } from '@googleapis/gmail'
import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import type { MailFields } from './build-mail.ts'
import type { GmailClient } from './gmail-client.ts'
import { mailFields } from './mail-ids.ts'
import { sendMailOnce } from './send-mail-once.ts'

export const sendMessage = googleTool({
  name: 'send_message',
  title: 'Send a mail',
  description:
    'Sends a new mail from the user to other people. It cannot be taken back. To answer a mail use reply_to_message.',
  effect: 'adds',
  input: z.object(mailFields),
  run: async (client: GmailClient, fields) => describeSent(await sendMailOnce(client, fields), fields),
})

/** What the model reads of a mail that has gone out. */
export function describeSent(sent: gmail_v1.Schema$Message | undefined, fields: MailFields): string {
  const everybody = [...fields.to, ...(fields.cc ?? []), ...(fields.bcc ?? [])].join(', ')
  const ids = sent?.id ? ` message_id: ${sent.id}, thread_id: ${sent.threadId ?? ''}` : ''
  return `The mail was sent to ${everybody}.${ids}`
}
