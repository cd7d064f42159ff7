import type { GmailClient } from './gmail-client.ts'
import { readHeaders } from './read-headers.ts'
import type { MailHeaders } from './read-headers.ts'

export interface RepliedMail {
  readonly headers: MailHeaders
  readonly threadId: string
  readonly inReplyTo: string | undefined
  readonly references: string | undefined
}

/** Message-IDs that a reply carries on; of a longer conversation the newest. */
const mostReferences = 50

/** What a reply to a mail has to say, so that every mail program sorts it into the same conversation. */
export async function findMailThread({ api }: GmailClient, id: string): Promise<RepliedMail> {
  const metadataHeaders = [
    'From',
    'To',
    'Cc',
    'Reply-To',
    'Subject',
    'Message-ID',
    'References',
    'In-Reply-To',
  ]
  const { data } = await api.messages.get({ userId: 'me', id, format: 'metadata', metadataHeaders })
  const headers = readHeaders(data.payload)
  const [inReplyTo] = listIds(headers['message-id'])
  const before = listIds(headers.references ?? headers['in-reply-to'])
  const references = [...before, ...(inReplyTo === undefined ? [] : [inReplyTo])].slice(-mostReferences)
  return { headers, threadId: data.threadId ?? '', inReplyTo, references: references.join(' ') || undefined }
}

function listIds(header: string | undefined): string[] {
  return header?.match(/<[^<>\s]{1,500}>/g) ?? []
}
