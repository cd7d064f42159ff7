import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import { mapFew } from '../../lib/map-few.ts'
import { quoteData } from '../google/quote-data.ts'
import type { GmailClient } from './gmail-client.ts'
import { presentMailSummary } from './present-mail.ts'

export const listDrafts = googleTool({
  name: 'list_drafts',
  title: 'List drafts',
  description: 'Lists drafts, newest first, with recipients, subject and beginning.',
  effect: 'reads',
  input: z.object({
    query: z.string().max(1_000).optional().describe("In the words of Gmail's search box."),
    max_results: z.number().int().min(1).max(25).optional().describe('10 when absent.'),
  }),
  async run({ api }: GmailClient, { query, max_results: maxResults = 10 }) {
    const q = query === undefined ? {} : { q: query }
    const { data } = await api.drafts.list({ userId: 'me', maxResults, ...q })
    const ids = (data.drafts ?? []).flatMap(({ id }) => (id ? [id] : []))
    if (ids.length === 0) return 'No draft was found.'
    const drafts = await mapFew(ids, (id) => api.drafts.get({ userId: 'me', id, format: 'metadata' }))
    const texts = drafts.map(
      ({ data: draft }) => `draft_id: ${draft.id ?? ''}\n${presentMailSummary(draft.message ?? {})}`,
    )
    return quoteData('the drafts', texts.join('\n\n'))
  },
})
