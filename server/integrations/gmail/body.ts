import type { gmail_v1 } from '@googleapis/gmail'
import { convertHtml, type ToolCallContext } from '../google/convert-html.ts'

type Part = gmail_v1.Schema$MessagePart

export interface MailAttachment {
  readonly name: string
  readonly type: string
  /** Bytes. */
  readonly size: number
}

export interface MailBody {
  readonly text: string
  readonly attachments: readonly MailAttachment[]
}

const maxParts = 300
const maxDepth = 30
const maxPartBytes = 1_000_000
/** The limit for all parts of one email together. */
const maxHtmlChars = 300_000
/** Shorter plain text is often only a note that the email is written in HTML. */
const minPlainChars = 200
/** Alternatives that are more than this many times as long replace a short plain text. */
const minLengthRatio = 5

/** Reads the text of an email and lists its attachments. */
export async function readMailBody(payload: Part | undefined, context: ToolCallContext): Promise<MailBody> {
  const reader = new PartReader(context)
  const text = payload === undefined ? '' : await reader.read(payload, 0)
  return { text: text.replaceAll('\r\n', '\n').trim(), attachments: reader.attachments }
}

class PartReader {
  readonly attachments: MailAttachment[] = []
  readonly #context: ToolCallContext
  #partCount = 0
  #remainingHtmlChars = maxHtmlChars

  constructor(context: ToolCallContext) {
    this.#context = context
  }

  async read(part: Part, depth: number): Promise<string> {
    if (++this.#partCount > maxParts || depth > maxDepth) return ''
    const type = part.mimeType?.toLowerCase() ?? 'text/plain'
    if (isAttachment(part, type)) {
      this.#addAttachment(part, type)
      return ''
    }
    if (type === 'multipart/alternative') return this.#readAlternatives(part.parts ?? [], depth)
    if (part.parts !== undefined && part.parts !== null && part.parts.length > 0) {
      return this.#readAll(part.parts, depth + 1)
    }
    const text = decodePart(part)
    return type === 'text/html' ? this.#readHtml(text) : text
  }

  async #readHtml(html: string): Promise<string> {
    const allowed = html.slice(0, this.#remainingHtmlChars)
    this.#remainingHtmlChars -= allowed.length
    return allowed === '' ? '' : convertHtml(allowed, this.#context)
  }

  /** Prefers plain text. When it is short, the other alternatives are returned if they are much longer. */
  async #readAlternatives(parts: readonly Part[], depth: number): Promise<string> {
    const plain = parts.filter(({ mimeType }) => mimeType?.toLowerCase() === 'text/plain')
    const text = await this.#readAll(plain, depth + 1)
    const others = parts.filter((part) => !plain.includes(part))
    if (text.trim().length < minPlainChars) {
      const other = await this.#readAll(others, depth + 1)
      return other.length > text.trim().length * minLengthRatio ? other : text
    }
    // The skipped HTML alternative may contain attachments.
    for (const part of others) this.#addAttachmentsIn(part, depth + 1)
    return text
  }

  async #readAll(parts: readonly Part[], depth: number): Promise<string> {
    const texts: string[] = []
    for (const part of parts) texts.push(await this.read(part, depth))
    return texts.filter((text) => text.trim() !== '').join('\n\n')
  }

  #addAttachmentsIn(part: Part, depth: number): void {
    if (++this.#partCount > maxParts || depth > maxDepth) return
    const type = part.mimeType?.toLowerCase() ?? ''
    // HTML without a file name is the skipped text itself.
    if (isAttachment(part, type) && (type !== 'text/html' || part.filename)) this.#addAttachment(part, type)
    else for (const inner of part.parts ?? []) this.#addAttachmentsIn(inner, depth + 1)
  }

  #addAttachment({ filename, body }: Part, type: string): void {
    this.attachments.push({ name: filename || 'without a name', type, size: body?.size ?? 0 })
  }
}

function isAttachment({ filename, body }: Part, type: string): boolean {
  if (filename) return true
  if (type.startsWith('multipart/')) return false
  return !type.startsWith('text/') || type === 'text/calendar' || Boolean(body?.attachmentId)
}

/** Google converts most text to UTF-8. Other text is decoded with the charset of its part. */
function decodePart(part: Part): string {
  const data = part.body?.data ?? ''
  const maxChars = Math.floor((maxPartBytes * 4) / 3)
  const bytes = Buffer.from(data.slice(0, maxChars), 'base64url')
  // The limit may cut a character in half. `stream` drops that half, which would otherwise be invalid UTF-8.
  const stream = data.length > maxChars
  return (
    decodeAs('utf-8', bytes, { fatal: true, stream }) ??
    decodeAs(charsetOf(part), bytes, { stream }) ??
    bytes.toString('latin1')
  )
}

function charsetOf({ headers }: Part): string {
  const type = headers?.find(({ name }) => name?.toLowerCase() === 'content-type')?.value ?? ''
  return /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(type)?.[1] ?? 'windows-1252'
}

function decodeAs(
  charset: string,
  bytes: Buffer,
  { fatal = false, stream }: { readonly fatal?: boolean; readonly stream: boolean },
): string | undefined {
  try {
    return new TextDecoder(charset, { fatal }).decode(bytes, { stream })
  } catch {
    return undefined
  }
}
