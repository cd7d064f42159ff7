import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import { buildMail } from './build-mail.ts'
import { findMailThread } from './find-mail-thread.ts'
import type { GmailClient } from './gmail-client.ts'
import { mailFields, messageId, recipients } from './mail-ids.ts'

export const createDraft = googleTool({
  name: 'create_draft',
  title: 'Write a draft',
  description: 'Saves a mail as a draft. Nothing is sent.',
  effect: 'adds',
  input: z.object({
    ...mailFields,
    to: recipients.optional().describe('Plain addresses; a draft may have none yet.'),
    reply_to_message_id: messageId
      .optional()
      .describe('The mail that this answers: the draft then stands in its conversation.'),
  }),
  async run(client: GmailClient, { reply_to_message_id: replied, to = [], ...fields }) {
    const thread = replied === undefined ? undefined : await findMailThread(client, replied)
    const raw = await buildMail({ to, ...fields }, thread)
    const message = thread === undefined ? { raw } : { raw, threadId: thread.threadId }
    const { data } = await client.api.drafts.create({ userId: 'me', requestBody: { message } }, client.once)
    return `The draft is saved. draft_id: ${data.id ?? 'unknown'}`
  },
})
