import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import { quoteData } from '../google/quote-data.ts'
import type { GmailClient } from './gmail-client.ts'
import { messageId } from './mail-ids.ts'
import { presentMail } from './present-mail.ts'

/** Characters of one mail's text. */
const longestText = 60_000

export const readMessage = googleTool({
  name: 'read_message',
  title: 'Read a mail',
  description: 'Gives one mail: its headers, its text, and the names of its attachments.',
  effect: 'reads',
  input: z.object({ message_id: messageId }),
  async run({ api }: GmailClient, { message_id: id }) {
    const { data } = await api.messages.get({ userId: 'me', id, format: 'full' })
    return quoteData('a mail', await presentMail(data, longestText))
  },
})
