import type { gmail_v1 } from '@googleapis/gmail'
import { cutText } from '../../lib/cut-text.ts'
import { readHeaders } from './read-headers.ts'
import { readMailBody } from './read-mail-body.ts'
import type { MailAttachment } from './read-mail-body.ts'

type Mail = gmail_v1.Schema$Message

/** Characters of a line of addresses or of a subject. */
const longestLine = 2_000

/** A mail in one paragraph: who, when, about what. */
export function presentMailSummary(mail: Mail): string {
  return [...listHeaderLines(mail), line('Begins', decodeSnippet(mail.snippet))].filter(Boolean).join('\n')
}

/** A mail in full, its text cut to so many characters. */
export async function presentMail(mail: Mail, longestText: number): Promise<string> {
  const { text, attachments } = await readMailBody(mail.payload)
  const attached = attachments.slice(0, 50).map(describeAttachment).join('; ')
  return [
    ...listHeaderLines(mail),
    line('Attachments', attached),
    '',
    cutText(text, longestText) || '(This mail has no text.)',
  ]
    .filter((part) => part !== undefined)
    .join('\n')
}

function listHeaderLines(mail: Mail): (string | undefined)[] {
  const headers = readHeaders(mail.payload)
  return [
    `message_id: ${mail.id ?? ''}`,
    `thread_id: ${mail.threadId ?? ''}`,
    line('From', headers.from),
    line('To', headers.to),
    line('Cc', headers.cc),
    line('Bcc', headers.bcc),
    line('Reply-To', headers['reply-to']),
    `Subject: ${headers.subject ?? ''}`,
    line('Date', describeDate(mail.internalDate)),
    line('Labels', mail.labelIds?.join(', ')),
  ].filter((part) => part !== undefined)
}

function line(name: string, value: string | null | undefined): string | undefined {
  return value ? `${name}: ${cutText(value, longestLine)}` : undefined
}

/** `internalDate` is milliseconds since 1970, as text. */
function describeDate(internalDate: string | null | undefined): string | undefined {
  const date = new Date(Number(internalDate ?? Number.NaN))
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Google gives the beginning of a mail with the marks of HTML escaped. */
function decodeSnippet(snippet: string | null | undefined): string {
  const signs: Readonly<Record<string, string>> = {
    '&amp;': '&',
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
  }
  return (snippet ?? '').replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (sign) => signs[sign] ?? sign)
}

function describeAttachment({ name, type, size }: MailAttachment): string {
  return `${name.slice(0, 200)} (${type}, ${Math.max(1, Math.round(size / 1_024))} kB)`
}
