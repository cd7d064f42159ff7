import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import { quoteData } from '../google/quote-data.ts'
import type { GmailClient } from './gmail-client.ts'

export const listLabels = googleTool({
  name: 'list_labels',
  title: 'List labels',
  description: "Lists the labels of the mailbox: Gmail's own, in capitals, and the user's.",
  effect: 'reads',
  input: z.object({}),
  async run({ api }: GmailClient) {
    const { data } = await api.labels.list({ userId: 'me' })
    const names = (data.labels ?? []).map(({ name }) => name ?? '').filter((name) => name !== '')
    return quoteData('the labels', names.join('\n'))
  },
})
