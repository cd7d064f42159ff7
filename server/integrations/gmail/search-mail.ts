import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import { mapFew } from '../../lib/map-few.ts'
import { quoteData } from '../google/quote-data.ts'
import type { GmailClient } from './gmail-client.ts'
import { presentMailSummary } from './present-mail.ts'

export const searchMessages = googleTool({
  name: 'search_messages',
  title: 'Search mail',
  description:
    'Finds mails with the words of Gmail\'s search box, such as "from:ann is:unread newer_than:7d", newest first. Gives sender, subject, date and the beginning of each; read_message gives the whole text.',
  effect: 'reads',
  input: z.object({
    query: z.string().max(1_000).describe('Empty for the newest mails.'),
    max_results: z.number().int().min(1).max(25).optional().describe('10 when absent.'),
    page_token: z.string().max(500).optional().describe('For the next page, from the result before.'),
    include_spam_and_trash: z.boolean().optional(),
  }),
  async run(
    { api }: GmailClient,
    { query, max_results = 10, page_token, include_spam_and_trash: includeSpamTrash = false },
  ) {
    const { data } = await api.messages.list({
      userId: 'me',
      maxResults: max_results,
      includeSpamTrash,
      ...(query.trim() === '' ? {} : { q: query }),
      ...(page_token === undefined ? {} : { pageToken: page_token }),
    })
    const ids = (data.messages ?? []).flatMap(({ id }) => (id ? [id] : []))
    if (ids.length === 0) return 'No mail was found.'
    const mails = await mapFew(ids, (id) => getSummary(api, id))
    const found = quoteData('the mails found', mails.map(presentMailSummary).join('\n\n'))
    return data.nextPageToken ? `${found}\nThere are more: page_token ${data.nextPageToken}` : found
  },
})

async function getSummary(api: GmailClient['api'], id: string) {
  const metadataHeaders = ['From', 'To', 'Subject']
  const { data } = await api.messages.get({ userId: 'me', id, format: 'metadata', metadataHeaders })
  return data
}
