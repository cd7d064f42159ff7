import type { gmail_v1 } from '@googleapis/gmail'
import { cutWithNote } from '../../lib/text.ts'
import type { ToolCallContext } from '../google/convert-html.ts'
import { readMailBody, type MailAttachment } from './body.ts'
import { readHeaders } from './headers.ts'

type Message = gmail_v1.Schema$Message

const maxLineChars = 2_000

/** Describes an email in a few lines: its ids, its headers and the beginning of its text. */
export function presentMessageSummary(message: Message): string {
  const snippet = line('Begins', decodeSnippet(message.snippet))
  return [...listHeaderLines(message), snippet].filter(Boolean).join('\n')
}

/** Describes a whole email: ids, headers, up to 50 attachments, and at most `maxTextChars` characters of text. */
export async function presentMessage(
  context: ToolCallContext,
  message: Message,
  maxTextChars: number,
): Promise<string> {
  const { text, attachments } = await readMailBody(message.payload, context)
  const attached = attachments.slice(0, 50).map(describeAttachment).join('; ')
  return [
    ...listHeaderLines(message),
    line('Attachments', attached),
    '',
    cutWithNote(text, maxTextChars) || '(This email has no text.)',
  ]
    .filter((part) => part !== undefined)
    .join('\n')
}

function listHeaderLines(message: Message): (string | undefined)[] {
  const headers = readHeaders(message.payload)
  return [
    `message_id: ${message.id ?? ''}`,
    `thread_id: ${message.threadId ?? ''}`,
    line('From', headers.from),
    line('To', headers.to),
    line('Cc', headers.cc),
    line('Bcc', headers.bcc),
    line('Reply-To', headers['reply-to']),
    `Subject: ${headers.subject ?? ''}`,
    line('Date', describeDate(message.internalDate)),
    line('Labels', message.labelIds?.join(', ')),
  ].filter((part) => part !== undefined)
}

function line(name: string, value: string | null | undefined): string | undefined {
  return value ? `${name}: ${cutWithNote(value, maxLineChars)}` : undefined
}

/** `internalDate` is milliseconds since 1970, as text. */
function describeDate(internalDate: string | null | undefined): string | undefined {
  const date = new Date(Number(internalDate ?? Number.NaN))
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Google escapes HTML characters in snippets. */
function decodeSnippet(snippet: string | null | undefined): string {
  const characters: Readonly<Record<string, string>> = {
    '&amp;': '&',
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
  }
  return (snippet ?? '').replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => characters[entity] ?? entity)
}

function describeAttachment({ name, type, size }: MailAttachment): string {
  return `${name.slice(0, 200)} (${type}, ${Math.max(1, Math.round(size / 1_024))} kB)`
}
