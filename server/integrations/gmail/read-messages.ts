import type { gmail_v1 } from '@googleapis/gmail'
import pMap from 'p-map'
import { z } from 'zod'
import { maxConcurrentRequests } from '../google/api-client.ts'
import { forModel, googleTool, quoteData } from '../google/google-tool.ts'
import type { GmailClient } from './client.ts'
import { messageId, threadId } from './input-schemas.ts'
import { presentMessage, presentMessageSummary } from './present-message.ts'

const maxMessageTextChars = 60_000
const maxThreadChars = 70_000
const maxThreadMessageTextChars = 15_000
const maxThreadMessages = 100

export const searchMessages = googleTool({
  name: 'search_messages',
  title: 'Search mail',
  description:
    'Searches emails with the syntax of Gmail\'s search box, such as "from:ann is:unread newer_than:7d", newest first. Returns sender, subject, date and beginning of each email; read_message returns the whole text.',
  effect: 'reads',
  input: z.object({
    query: z.string().max(1_000).describe('Empty for the newest emails.'),
    max_results: z.number().int().min(1).max(25).optional().describe('Default: 10.'),
    page_token: z.string().max(500).optional().describe('The page_token of the previous result.'),
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
    if (ids.length === 0) return 'No emails were found.'
    const metadata = { userId: 'me', format: 'metadata', metadataHeaders: ['From', 'To', 'Subject'] }
    const messages = await pMap(ids, (id) => api.messages.get({ ...metadata, id }), {
      concurrency: maxConcurrentRequests,
    })
    const texts = messages.map(({ data: message }) => presentMessageSummary(message))
    const found = quoteData('the emails found', texts.join('\n\n'))
    return data.nextPageToken
      ? [...found, forModel(`There are more: page_token ${data.nextPageToken}`)]
      : found
  },
})

export const readMessage = googleTool({
  name: 'read_message',
  title: 'Read an email',
  description: 'Returns one email: its headers, its text and the names of its attachments.',
  effect: 'reads',
  input: z.object({ message_id: messageId }),
  async run(client: GmailClient, { message_id: id }) {
    const { data } = await client.api.messages.get({ userId: 'me', id, format: 'full' })
    return quoteData('an email', await presentMessage(client, data, maxMessageTextChars))
  },
})

export const readThread = googleTool({
  name: 'read_thread',
  title: 'Read a conversation',
  description:
    'Returns the emails of one conversation, oldest first, with headers, text and names of attachments. In a long conversation only the newest emails are complete.',
  effect: 'reads',
  input: z.object({ thread_id: threadId }),
  async run(client: GmailClient, { thread_id: id }) {
    const { data } = await client.api.threads.get({ userId: 'me', id, format: 'full' })
    const messages = data.messages ?? []
    if (messages.length === 0) return 'This conversation has no emails.'
    const omitted = messages.length - maxThreadMessages
    const note = omitted > 0 ? [{ text: `Omitted older emails: ${omitted}.` }] : []
    return [
      ...quoteData('a conversation', await presentThread(client, messages.slice(-maxThreadMessages))),
      ...note,
    ]
  },
})

/** Describes the emails, oldest first. The newest ones have their text, until `maxThreadChars` are used up. */
async function presentThread(
  client: GmailClient,
  messages: readonly gmail_v1.Schema$Message[],
): Promise<string> {
  const texts: string[] = []
  let remainingChars = maxThreadChars
  for (const message of [...messages].reverse()) {
    client.signal.throwIfAborted()
    const maxTextChars = Math.min(maxThreadMessageTextChars, remainingChars)
    const text =
      remainingChars > 0
        ? await presentMessage(client, message, maxTextChars)
        : presentMessageSummary(message)
    texts.unshift(text)
    remainingChars -= text.length
  }
  return texts.join('\n\n=====\n\n')
}
