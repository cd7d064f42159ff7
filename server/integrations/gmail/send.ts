import type { gmail_v1 } from '@googleapis/gmail'
import { z } from 'zod'
import { AppError } from '../../lib/app-error.ts'
import { collapseSpaces } from '../../lib/text.ts'
import { refusal } from '../google/errors.ts'
import { googleTool } from '../google/google-tool.ts'
import { readMailBody } from './body.ts'
import type { GmailClient } from './client.ts'
import { readRepliedMessage, parseRecipients, requireRecipient, type MailFields } from './compose.ts'
import { areHeadersComplete, parseAddresses, readHeaders, type MailHeaders } from './headers.ts'
import { draftId, mailFields, messageId, recipients } from './input-schemas.ts'
import { sendDraftOnce, sendMailOnce } from './send-once.ts'
import { requireSameSubject } from './subjects.ts'

const recipientHeaders = ['to', 'cc', 'bcc'] as const

export const sendMessage = googleTool({
  name: 'send_message',
  title: 'Send an email',
  description:
    'Sends a new email from the user. It cannot be taken back. Use reply_to_message to answer an email.',
  effect: 'adds',
  input: z.object(mailFields),
  run: async (client: GmailClient, fields) => describeSent(await sendMailOnce(client, fields), fields),
})

export const replyToMessage = googleTool({
  name: 'reply_to_message',
  title: 'Reply to an email',
  description:
    'Answers an email in its conversation. It cannot be taken back. It goes to the addresses in "to" and "cc", which must be its sender (or Reply-To) and recipients. Use send_message to include others.',
  effect: 'adds',
  input: z.object({
    message_id: messageId,
    to: recipients.min(1).describe('Email addresses, usually only that of the sender.'),
    cc: recipients.optional().describe('Email addresses of the other recipients, to reply to all.'),
    subject: z.string().max(900).describe('The subject of the email, with "Re: " before it.'),
    body: mailFields.body,
  }),
  async run(client: GmailClient, { message_id: id, ...fields }) {
    const { headers, ...thread } = await readRepliedMessage(client, id)
    requireParticipants(headers, fields)
    requireSameSubject(stripReplyPrefix(headers.subject ?? ''), stripReplyPrefix(fields.subject))
    return describeSent(await sendMailOnce(client, fields, thread), fields)
  },
})

export const sendDraft = googleTool({
  name: 'send_draft',
  title: 'Send a draft',
  description:
    'Sends a draft unchanged. Recipients, subject, text and attachments must be exactly those that read_draft returned: they are shown to the user and checked. To send something else, change the draft first.',
  effect: 'adds',
  input: z.object({
    draft_id: draftId,
    ...mailFields,
    to: recipients.describe('All To addresses of the draft.'),
    attachments: z
      .array(z.string().max(300))
      .max(50)
      .optional()
      .describe('The names of all attachments of the draft.'),
  }),
  async run(client: GmailClient, { draft_id: id, attachments = [], ...expected }) {
    requireRecipient(expected)
    const { data: draft } = await client.api.drafts.get({ userId: 'me', id, format: 'full' })
    const payload = draft.message?.payload
    if (!areHeadersComplete(payload, recipientHeaders)) {
      throw new AppError(
        'invalid_request',
        'This draft has more recipients than can be shown. Nothing was sent. Send it in Gmail instead.',
      )
    }
    const headers = readHeaders(payload)
    const body = await readMailBody(payload, client)
    requireSameSubject(headers.subject, expected.subject)
    const expectedRecipients = parseRecipients(expected)
    for (const name of recipientHeaders) {
      requireSame(name, parseAddresses(headers[name]), normalizeAddresses(expectedRecipients[name]))
    }
    const names = body.attachments.map(({ name }) => name)
    requireSame('attachments', names, attachments)
    requireSame('body', [collapseSpaces(body.text)], [collapseSpaces(expected.body)])
    return describeSent(await sendDraftOnce(client, id), expected)
  },
})

function describeSent(sent: gmail_v1.Schema$Message | undefined, fields: MailFields): string {
  const addresses = [...fields.to, ...(fields.cc ?? []), ...(fields.bcc ?? [])].join(', ')
  const ids = sent?.id ? ` message_id: ${sent.id}, thread_id: ${sent.threadId ?? ''}` : ''
  return `The email was sent to ${addresses}.${ids}`
}

/** @throws AppError `invalid_request` when a recipient is not part of the conversation */
function requireParticipants(headers: MailHeaders, fields: MailFields): void {
  const { to, cc } = parseRecipients(fields)
  const names = ['from', 'reply-to', 'to', 'cc'] as const
  const participants = new Set(names.flatMap((name) => parseAddresses(headers[name])))
  const outsider = [...to, ...cc].find((address) => !participants.has(address.toLowerCase()))
  if (outsider === undefined) return
  throw refusal(
    `${outsider} is not part of this conversation, whose addresses are ${[...participants].slice(0, 20).join(', ')}.`,
    'sent',
  )
}

/** Mail programs write "Re:" in several languages. */
function stripReplyPrefix(subject: string): string {
  return subject.replace(/^(\s*(re|aw|sv|antw|rép)\s*:)+/i, '').trim()
}

function requireSame(field: string, actual: readonly string[], expected: readonly string[]): void {
  if (actual.toSorted().join('\n') === expected.toSorted().join('\n')) return
  throw refusal(`"${field}" differs from the draft. Read the draft again.`, 'sent')
}

/** Returns addresses as `parseAddresses` does: in lower case and without duplicates. */
function normalizeAddresses(addresses: readonly string[]): string[] {
  return [...new Set(addresses.map((address) => address.toLowerCase()))]
}
