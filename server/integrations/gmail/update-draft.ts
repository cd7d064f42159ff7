import { z } from 'zod'
import { AppError } from '../../lib/app-error.ts'
import { googleTool } from '../google/google-tool.ts'
import { buildMail } from './build-mail.ts'
import type { GmailClient } from './gmail-client.ts'
import { draftId, mailFields, recipients } from './mail-ids.ts'
import { readHeaders } from './read-headers.ts'
import { readMailBody } from './read-mail-body.ts'

export const updateDraft = googleTool({
  name: 'update_draft',
  title: 'Change a draft',
  description:
    'Replaces a draft: recipients, subject and text are those given here, all of them. Nothing is sent.',
  effect: 'changes',
  input: z.object({
    draft_id: draftId,
    ...mailFields,
    to: recipients.optional().describe('Plain addresses; a draft may have none yet.'),
  }),
  async run({ api }: GmailClient, { draft_id: id, to = [], ...fields }) {
    const { data: draft } = await api.drafts.get({ userId: 'me', id, format: 'full' })
    const { payload, threadId } = draft.message ?? {}
    if ((await readMailBody(payload)).attachments.length > 0) {
      throw new AppError(
        'invalid_request',
        'This draft has attachments, which would be lost. Nothing was done: it can be changed in Gmail.',
      )
    }
    const { 'in-reply-to': inReplyTo, references } = readHeaders(payload)
    const raw = await buildMail({ to, ...fields }, { inReplyTo, references })
    const message = threadId ? { raw, threadId } : { raw }
    await api.drafts.update({ userId: 'me', id, requestBody: { id, message } })
    return `The draft is changed. draft_id: ${id}`
  },
})
