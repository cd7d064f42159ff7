import { randomBytes } from 'node:crypto'
import type { gmail_v1 } from '@googleapis/gmail'
import { notFound } from './google-api-error.ts'

export type StoredMail = gmail_v1.Schema$Message & {
  readonly id: string
  readonly threadId: string
  labelIds: string[]
  readonly payload: gmail_v1.Schema$MessagePart
}

/** An email for `deliver`. */
export interface IncomingMail {
  readonly from?: string
  readonly to?: string
  readonly subject?: string
  readonly text?: string
  readonly html?: string
  readonly labels?: readonly string[]
  readonly threadId?: string
  /** Milliseconds since 1970. */
  readonly at?: number
  readonly headers?: readonly gmail_v1.Schema$MessagePartHeader[]
  /** The whole payload, for one that the other fields cannot describe. */
  readonly payload?: gmail_v1.Schema$MessagePart
}

const systemLabels = ['INBOX', 'SENT', 'DRAFT', 'TRASH', 'SPAM', 'STARRED', 'UNREAD', 'IMPORTANT']

/** The mailbox of one account. */
export class Mailbox {
  readonly mails = new Map<string, StoredMail>()
  /** The id of the email of each draft, by draft id. */
  readonly drafts = new Map<string, string>()
  readonly labels = systemLabels.map((name) => ({ id: name, name, type: 'system' }))
  /** The emails that were sent. */
  readonly sent: StoredMail[] = []
  #clock = Date.UTC(2026, 2, 1, 9)

  /** Stores a received email, by default as unread in the inbox. */
  deliver(mail: IncomingMail = {}): StoredMail {
    const id = newMailId()
    const payload = mail.payload ?? toPayload(mail)
    return this.store({
      id,
      threadId: mail.threadId ?? id,
      labelIds: [...(mail.labels ?? ['INBOX', 'UNREAD'])],
      snippet: (mail.text ?? '').slice(0, 150),
      payload,
      ...(mail.at === undefined ? {} : { internalDate: String(mail.at) }),
    })
  }

  addLabel(name: string): { readonly id: string; readonly name: string; readonly type: string } {
    const label = { id: `Label_${this.labels.length}`, name, type: 'user' }
    this.labels.push(label)
    return label
  }

  store(mail: StoredMail): StoredMail {
    this.#clock += 60_000
    const stored = { historyId: '1', sizeEstimate: 1_000, internalDate: String(this.#clock), ...mail }
    this.mails.set(stored.id, stored)
    return stored
  }

  require(id: string): StoredMail {
    const mail = this.mails.get(id)
    if (mail === undefined) throw notFound()
    return mail
  }

  /** The emails that Gmail's search box would find, last stored first. Supports the operators that tests use. */
  search(query: string, includeSpamTrash: boolean): StoredMail[] {
    const words = query.split(/\s+/).filter((word) => word !== '')
    const hidden = includeSpamTrash || /\bin:(trash|spam|anywhere)/.test(query) ? [] : ['TRASH', 'SPAM']
    return [...this.mails.values()]
      .reverse()
      .filter((mail) => !mail.labelIds.some((label) => hidden.includes(label)))
      .filter((mail) => words.every((word) => this.#matches(mail, word.toLowerCase())))
  }

  #matches(mail: StoredMail, word: string): boolean {
    const [, operator, value = ''] = /^(from|to|subject|is|in|label|rfc822msgid):(.*)$/.exec(word) ?? []
    const hasValue = (header: string): boolean => headerOf(mail, header).toLowerCase().includes(value)
    switch (operator) {
      case 'from':
      case 'to':
      case 'subject':
        return hasValue(operator)
      case 'rfc822msgid':
        return hasValue('message-id')
      case 'is':
      case 'in':
      case 'label': {
        const label = this.labels.find(({ name }) => name.toLowerCase() === value)
        return label !== undefined && mail.labelIds.includes(label.id)
      }
      default:
        return `${headerOf(mail, 'subject')} ${mail.snippet ?? ''}`.toLowerCase().includes(word)
    }
  }
}

export function newMailId(): string {
  return randomBytes(8).toString('hex')
}

/** The value of a header; empty when there is none. The case of the name does not matter. */
export function headerOf({ payload }: Pick<StoredMail, 'payload'>, name: string): string {
  return payload.headers?.find((header) => header.name?.toLowerCase() === name.toLowerCase())?.value ?? ''
}

/** A body as Gmail returns it: Base64url, with its size in bytes. */
export function toBody(text: string): gmail_v1.Schema$MessagePartBody {
  const bytes = Buffer.from(text)
  return { size: bytes.length, data: bytes.toString('base64url') }
}

function toPayload(mail: IncomingMail): gmail_v1.Schema$MessagePart {
  const { from = 'Ann <ann@example.com>', to = 'ben@example.com', subject = 'Hello', text, html } = mail
  const headers = [
    { name: 'From', value: from },
    { name: 'To', value: to },
    { name: 'Subject', value: subject },
    { name: 'Message-ID', value: `<${newMailId()}@example.com>` },
    ...(mail.headers ?? []),
  ]
  const plain = { partId: '0', mimeType: 'text/plain', filename: '', headers: [], body: toBody(text ?? '') }
  if (html === undefined) return { ...plain, partId: '', headers }
  const rich = { partId: '1', mimeType: 'text/html', filename: '', headers: [], body: toBody(html) }
  const parts = text === undefined ? [rich] : [plain, rich]
  return { partId: '', mimeType: 'multipart/alternative', filename: '', headers, body: { size: 0 }, parts }
}
