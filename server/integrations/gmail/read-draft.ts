import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import { quoteData } from '../google/quote-data.ts'
import type { GmailClient } from './gmail-client.ts'
import { draftId } from './mail-ids.ts'
import { presentMail } from './present-mail.ts'

/** Characters of a draft's text. */
const longestText = 100_000

export const readDraft = googleTool({
  name: 'read_draft',
  title: 'Read a draft',
  description: 'Gives one draft: its recipients, its text, and the names of its attachments.',
  effect: 'reads',
  input: z.object({ draft_id: draftId }),
  async run({ api }: GmailClient, { draft_id: id }) {
    const { data } = await api.drafts.get({ userId: 'me', id, format: 'full' })
    const draft = await presentMail(data.message ?? {}, longestText)
    return quoteData('a draft', `draft_id: ${id}\n${draft}`)
  },
})
