import type { gmail_v1 } from '@googleapis/gmail'
import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import { quoteData } from '../google/quote-data.ts'
import type { GmailClient } from './gmail-client.ts'
import { threadId } from './mail-ids.ts'
import { presentMail, presentMailSummary } from './present-mail.ts'

/** Characters of the whole conversation, and of one mail in it. */
const longestThread = 70_000
const longestText = 15_000
/** Mails of one conversation; older ones are not told of. */
const mostMails = 100

export const readThread = googleTool({
  name: 'read_thread',
  title: 'Read a conversation',
  description:
    'Gives the mails of one conversation, oldest first, with headers, text and names of attachments. Of a long one the newest are given in full.',
  effect: 'reads',
  input: z.object({ thread_id: threadId }),
  async run({ api, signal }: GmailClient, { thread_id: id }) {
    const { data } = await api.threads.get({ userId: 'me', id, format: 'full' })
    const mails = data.messages ?? []
    if (mails.length === 0) return 'This conversation has no mails.'
    const left = mails.length - mostMails
    const note = left > 0 ? `\n${left} older mails were left out.` : ''
    return quoteData('a conversation', await presentThread(mails.slice(-mostMails), signal)) + note
  },
})

async function presentThread(
  mails: readonly gmail_v1.Schema$Message[],
  signal: AbortSignal,
): Promise<string> {
  const texts: string[] = []
  let left = longestThread
  for (const mail of [...mails].reverse()) {
    signal.throwIfAborted()
    const most = Math.min(longestText, left)
    const text = left > 0 ? await presentMail(mail, most) : presentMailSummary(mail)
    texts.unshift(text)
    left -= text.length
  }
  return texts.join('\n\n=====\n\n')
}
