import { z } from 'zod'
import { AppError } from '../../lib/app-error.ts'
import { googleTool } from '../google/google-tool.ts'
import { checkSubjects } from './check-subjects.ts'
import { findLabelIds } from './find-label-ids.ts'
import type { GmailClient } from './gmail-client.ts'
import { namedMessages } from './mail-ids.ts'

const labelNames = z.array(z.string().max(300)).max(20).optional()

export const labelMessages = googleTool({
  name: 'label_messages',
  title: 'Label mails',
  description:
    'Adds labels to mails, or takes them away. STARRED, IMPORTANT, SPAM and TRASH are labels too: TRASH puts a mail into the trash.',
  effect: 'changes',
  input: z.object({
    messages: namedMessages,
    add: labelNames.describe('Names of labels, from list_labels.'),
    remove: labelNames.describe('Names of labels.'),
  }),
  async run(client: GmailClient, { messages, add = [], remove = [] }) {
    if (add.length + remove.length === 0) throw new AppError('invalid_request', 'Name at least one label.')
    const idOf = await findLabelIds(client, [...add, ...remove])
    const ids = await checkSubjects(client, messages)
    await client.api.messages.batchModify({
      userId: 'me',
      requestBody: { ids, addLabelIds: add.map(idOf), removeLabelIds: remove.map(idOf) },
    })
    return `Done for ${ids.length === 1 ? '1 mail' : `${ids.length} mails`}.`
  },
})
