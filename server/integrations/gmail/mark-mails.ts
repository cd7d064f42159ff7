import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import { checkSubjects } from './check-subjects.ts'
import type { GmailClient } from './gmail-client.ts'
import { namedMessages } from './mail-ids.ts'

export const markMessages = googleTool({
  name: 'mark_messages',
  title: 'Mark mails as read or unread',
  description: 'Marks mails as read or unread.',
  effect: 'changes',
  input: z.object({
    messages: namedMessages,
    as: z.enum(['read', 'unread']),
  }),
  async run(client: GmailClient, { messages, as }) {
    const ids = await checkSubjects(client, messages)
    const labels = as === 'read' ? { removeLabelIds: ['UNREAD'] } : { addLabelIds: ['UNREAD'] }
    await client.api.messages.batchModify({ userId: 'me', requestBody: { ids, ...labels } })
    return `${ids.length === 1 ? 'The mail is' : `${ids.length} mails are`} marked as ${as}.`
  },
})
