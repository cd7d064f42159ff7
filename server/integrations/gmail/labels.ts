import { z } from 'zod'
import { mayHaveSucceeded, refusal, statusOf } from '../google/errors.ts'
import { googleTool, quoteData } from '../google/google-tool.ts'
import { requireLine } from '../google/outgoing-text.ts'
import type { GmailClient } from './client.ts'
import { namedMessages } from './input-schemas.ts'
import { checkSubjects } from './subjects.ts'

const labelNames = z.array(z.string().max(300)).max(20).optional()

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

export const createLabel = googleTool({
  name: 'create_label',
  title: 'Create a label',
  description: 'Creates a label. A name such as Trips/2026 places it under Trips.',
  effect: 'adds',
  input: z.object({ name: z.string().min(1).max(225) }),
  async run({ api }: GmailClient, { name }) {
    const label = requireLine('name', name)
    try {
      await api.labels.create({ userId: 'me', requestBody: { name: label } })
    } catch (error) {
      if (statusOf(error) !== 409) throw error
      // After a retry, the earlier request may have created it.
      if (!mayHaveSucceeded(error)) return `The label "${label}" already exists.`
    }
    return `The label "${label}" was created.`
  },
})

export const labelMessages = googleTool({
  name: 'label_messages',
  title: 'Label emails',
  description:
    'Adds labels to emails or removes them. STARRED, IMPORTANT, SPAM and TRASH are labels too: TRASH moves an email to the trash.',
  effect: 'changes',
  input: z.object({
    messages: namedMessages,
    add: labelNames.describe('Names of labels, from list_labels.'),
    remove: labelNames.describe('Names of labels.'),
  }),
  async run(client: GmailClient, { messages, add = [], remove = [] }) {
    if (add.length + remove.length === 0) {
      throw refusal('Give at least one label in "add" or "remove".')
    }
    const idOf = await requireLabelIds(client, [...add, ...remove])
    const ids = await checkSubjects(client, messages)
    await client.api.messages.batchModify({
      userId: 'me',
      requestBody: { ids, addLabelIds: add.map(idOf), removeLabelIds: remove.map(idOf) },
    })
    return `The labels of ${ids.length === 1 ? '1 email' : `${ids.length} emails`} were changed.`
  },
})

export const archiveMessages = googleTool({
  name: 'archive_messages',
  title: 'Archive emails',
  description: 'Removes emails from the inbox. They stay in the mailbox and can be found.',
  effect: 'changes',
  input: z.object({ messages: namedMessages }),
  async run(client: GmailClient, { messages }) {
    const ids = await checkSubjects(client, messages)
    await client.api.messages.batchModify({ userId: 'me', requestBody: { ids, removeLabelIds: ['INBOX'] } })
    return ids.length === 1 ? 'The email was archived.' : `${ids.length} emails were archived.`
  },
})

export const markMessages = googleTool({
  name: 'mark_messages',
  title: 'Mark emails as read or unread',
  description: 'Marks emails as read or unread.',
  effect: 'changes',
  input: z.object({
    messages: namedMessages,
    as: z.enum(['read', 'unread']),
  }),
  async run(client: GmailClient, { messages, as }) {
    const ids = await checkSubjects(client, messages)
    const labels = as === 'read' ? { removeLabelIds: ['UNREAD'] } : { addLabelIds: ['UNREAD'] }
    await client.api.messages.batchModify({ userId: 'me', requestBody: { ids, ...labels } })
    return `${ids.length === 1 ? 'The email was' : `${ids.length} emails were`} marked as ${as}.`
  },
})

/**
 * Returns a function that converts the name of a label, in upper or lower case, to its id.
 * @throws AppError `invalid_request` when a label does not exist
 */
async function requireLabelIds(
  { api }: GmailClient,
  names: readonly string[],
): Promise<(name: string) => string> {
  const { data } = await api.labels.list({ userId: 'me' })
  const ids = new Map((data.labels ?? []).map(({ id, name }) => [name?.toLowerCase() ?? '', id ?? '']))
  const missing = names.find((name) => !ids.get(name.trim().toLowerCase()))
  if (missing !== undefined) {
    throw refusal(`There is no label "${missing.slice(0, 100)}". list_labels lists the existing ones.`)
  }
  return (name) => ids.get(name.trim().toLowerCase()) ?? ''
}
