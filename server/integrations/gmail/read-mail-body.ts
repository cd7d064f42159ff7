import type { gmail_v1 } from '@googleapis/gmail'
import { convertHtml } from '../google/convert-html.ts'
import { decodePart } from './decode-part.ts'

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

/** Parts of one mail that are looked at, and how deep they may stand in one another. */
const mostParts = 300
const deepest = 30
/** Characters of HTML of one mail that are read. */
const longestHtml = 300_000
/** Characters of plain text below which the HTML beside it may say more. */
const shortest = 200

/** What a person would read of a mail, from whichever of its parts say it, and what is attached to it. */
export async function readMailBody(payload: Part | undefined): Promise<MailBody> {
  const reader = new PartReader()
  const text = payload === undefined ? '' : await reader.read(payload, 0)
  return { text: text.replaceAll('\r\n', '\n').trim(), attachments: reader.attachments }
}

class PartReader {
  readonly attachments: MailAttachment[] = []
  #parts = 0
  #htmlLeft = longestHtml

  async read(part: Part, depth: number): Promise<string> {
    if (++this.#parts > mostParts || depth > deepest) return ''
    const type = part.mimeType?.toLowerCase() ?? 'text/plain'
    if (isAttachment(part, type)) return this.#note(part, type)
    if (type === 'multipart/alternative') return this.#readBest(part.parts ?? [], depth)
    if (part.parts !== undefined && part.parts !== null && part.parts.length > 0) {
      return this.#readAll(part.parts, depth + 1)
    }
    const text = decodePart(part)
    return type === 'text/html' ? this.#readHtml(text) : text
  }

  async #readHtml(html: string): Promise<string> {
    const taken = html.slice(0, this.#htmlLeft)
    this.#htmlLeft -= taken.length
    return taken === '' ? '' : convertHtml(taken)
  }

  /** Plain text says what the sender meant; HTML is read where there is none, or only a word about its being HTML. */
  async #readBest(parts: readonly Part[], depth: number): Promise<string> {
    const plain = parts.filter(({ mimeType }) => mimeType?.toLowerCase() === 'text/plain')
    const text = await this.#readAll(plain, depth + 1)
    const rest = parts.filter((part) => !plain.includes(part))
    if (text.trim().length < shortest) {
      const other = await this.#readAll(rest, depth + 1)
      return other.length > text.trim().length * 5 ? other : text
    }
    // Attachments may stand beside the HTML.
    for (const part of rest) this.#noteInside(part, depth + 1)
    return text
  }

  async #readAll(parts: readonly Part[], depth: number): Promise<string> {
    const texts: string[] = []
    for (const part of parts) texts.push(await this.read(part, depth))
    return texts.filter((text) => text.trim() !== '').join('\n\n')
  }

  #noteInside(part: Part, depth: number): void {
    if (++this.#parts > mostParts || depth > deepest) return
    const type = part.mimeType?.toLowerCase() ?? ''
    if (isAttachment(part, type) && type !== 'text/html') this.#note(part, type)
    else for (const inner of part.parts ?? []) this.#noteInside(inner, depth + 1)
  }

  #note({ filename, body }: Part, type: string): string {
    this.attachments.push({ name: filename || 'without a name', type, size: body?.size ?? 0 })
    return ''
  }
}

function isAttachment({ filename, body }: Part, type: string): boolean {
  if (filename) return true
  if (type.startsWith('multipart/')) return false
  return !type.startsWith('text/') || type === 'text/calendar' || Boolean(body?.attachmentId)
}
