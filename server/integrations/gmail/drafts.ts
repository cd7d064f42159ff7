import pMap from 'p-map'
import { z } from 'zod'
import { AppError } from '../../lib/app-error.ts'
import { maxConcurrentRequests } from '../google/api-client.ts'
import { googleTool, quoteData } from '../google/google-tool.ts'
import { readMailBody } from './body.ts'
import type { GmailClient } from './client.ts'
import { buildMail, readRepliedMessage } from './compose.ts'
import { readHeaders } from './headers.ts'
import { draftId, mailFields, messageId, recipients } from './input-schemas.ts'
import { presentMessage, presentMessageSummary } from './present-message.ts'

const maxDraftTextChars = 100_000

const draftFields = {
  ...mailFields,
  to: recipients
    .optional()
    .describe('Email addresses without names. May be omitted: a draft needs no recipients.'),
}

export const listDrafts = googleTool({
  name: 'list_drafts',
  title: 'List drafts',
  description: 'Lists drafts, newest first, with recipients, subject and beginning.',
  effect: 'reads',
  input: z.object({
    query: z.string().max(1_000).optional().describe("In the syntax of Gmail's search box."),
    max_results: z.number().int().min(1).max(25).optional().describe('Default: 10.'),
  }),
  async run({ api }: GmailClient, { query, max_results: maxResults = 10 }) {
    const q = query === undefined ? {} : { q: query }
    const { data } = await api.drafts.list({ userId: 'me', maxResults, ...q })
    const ids = (data.drafts ?? []).flatMap(({ id }) => (id ? [id] : []))
    if (ids.length === 0) return 'No drafts were found.'
    const drafts = await pMap(ids, (id) => api.drafts.get({ userId: 'me', id, format: 'metadata' }), {
      concurrency: maxConcurrentRequests,
    })
    const texts = drafts.map(
      ({ data: draft }) => `draft_id: ${draft.id ?? ''}\n${presentMessageSummary(draft.message ?? {})}`,
    )
    return quoteData('the drafts', texts.join('\n\n'))
  },
})

export const readDraft = googleTool({
  name: 'read_draft',
  title: 'Read a draft',
  description: 'Returns one draft: its recipients, its text and the names of its attachments.',
  effect: 'reads',
  input: z.object({ draft_id: draftId }),
  async run(client: GmailClient, { draft_id: id }) {
    const { data } = await client.api.drafts.get({ userId: 'me', id, format: 'full' })
    const draft = await presentMessage(client, data.message ?? {}, maxDraftTextChars)
    return quoteData('a draft', `draft_id: ${id}\n${draft}`)
  },
})

export const createDraft = googleTool({
  name: 'create_draft',
  title: 'Create a draft',
  description: 'Saves an email as a draft. Nothing is sent.',
  effect: 'adds',
  input: z.object({
    ...draftFields,
    reply_to_message_id: messageId
      .optional()
      .describe('The email that this one answers. The draft becomes part of its conversation.'),
  }),
  async run(client: GmailClient, { reply_to_message_id: repliedId, to = [], ...fields }) {
    const thread = repliedId === undefined ? undefined : await readRepliedMessage(client, repliedId)
    const message = await buildMail({ to, ...fields }, thread)
    const { data } = await client.api.drafts.create(
      { userId: 'me', requestBody: { message } },
      client.nonIdempotent,
    )
    return `The draft was saved. draft_id: ${data.id ?? 'unknown'}`
  },
})

export const updateDraft = googleTool({
  name: 'update_draft',
  title: 'Change a draft',
  description:
    'Replaces a draft: its recipients, subject and text become exactly those given here. Nothing is sent.',
  effect: 'changes',
  input: z.object({ draft_id: draftId, ...draftFields }),
  async run(client: GmailClient, { draft_id: id, to = [], ...fields }) {
    const { data: draft } = await client.api.drafts.get({ userId: 'me', id, format: 'full' })
    const { payload, threadId } = draft.message ?? {}
    if ((await readMailBody(payload, client)).attachments.length > 0) {
      throw new AppError(
        'invalid_request',
        'This draft has attachments, which would be lost. Nothing was done. Change it in Gmail instead.',
      )
    }
    const { 'in-reply-to': inReplyTo, references } = readHeaders(payload)
    const message = await buildMail({ to, ...fields }, { threadId, inReplyTo, references })
    await client.api.drafts.update({ userId: 'me', id, requestBody: { id, message } })
    return `The draft was changed. draft_id: ${id}`
  },
})
