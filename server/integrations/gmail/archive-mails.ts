import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import { checkSubjects } from './check-subjects.ts'
import type { GmailClient } from './gmail-client.ts'
import { namedMessages } from './mail-ids.ts'

export const archiveMessages = googleTool({
  name: 'archive_messages',
  title: 'Archive mails',
  description: 'Takes mails out of the inbox. They stay in the mailbox and can be found.',
  effect: 'changes',
  input: z.object({ messages: namedMessages }),
  async run(client: GmailClient, { messages }) {
    const ids = await checkSubjects(client, messages)
    await client.api.messages.batchModify({ userId: 'me', requestBody: { ids, removeLabelIds: ['INBOX'] } })
    return ids.length === 1 ? 'The mail is archived.' : `${ids.length} mails are archived.`
  },
})
