import { pictureHeadBytes, readPicture } from '../../files/reading/read-picture.ts'
import { isPictureKind, sniffedBytes, sniffKind } from '../../files/reading/sniff-kind.ts'
import { needsSignInKey } from '../../integrations/integration-connector.ts'
import { isDeeperThan } from '../../lib/canonical-json.ts'
import { formatMegabytes } from '../../lib/format-megabytes.ts'
import { isObject, parseJsonAsWritten, toList, type JsonObject } from '../../lib/json-object.ts'
import { cleanText, normalizeText } from '../../lib/text.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import type { OutcomePart } from './tool-call.ts'

export interface ReadResult {
  readonly parts: readonly OutcomePart[]
  /** The text that the model gets. */
  readonly text: string
  readonly isError: boolean
  /** Whether the result says that the connector's integration has to be connected again. */
  readonly needsSignIn: boolean
  /** Size of the result as JSON; 0 when it is nested too deeply to serialize. */
  readonly bytes: number
}

/** Characters of base64 with the part of a picture that has its size. */
const pictureHeadChars = Math.ceil(pictureHeadBytes / 3) * 4
/** Content blocks of one result that are read. */
const maxBlocks = 500
/** Nesting levels of a structured result. */
const maxDepth = 64
/** Characters of a structured result up to which it is shown indented. */
const maxIndentedChars = 100_000

/**
 * Reads a result block by block; an invalid block is replaced by a note. A large result of a remote server is read in
 * the thread of `message-worker.ts`, so that the event loop stays free.
 */
export function readResult(result: JsonObject, limits: ConnectorLimits, isCut = false): ReadResult {
  const content = (toList(result['content']) ?? []).filter((block) => block !== null)
  const reader = new BlockReader(limits)
  const parts: OutcomePart[] = []
  for (const [index, block] of content.slice(0, maxBlocks).entries()) {
    const isIncomplete = isCut && index === content.length - 1 && result['structuredContent'] === undefined
    const part = isIncomplete ? readIncomplete(block) : reader.read(block)
    if (part !== undefined) parts.push(normalizePart(part))
  }
  const structured = readStructured(result, parts)
  if (structured !== undefined) parts.push(structured)
  const omissions = [
    ...reader.describeOmitted(),
    ...(content.length > maxBlocks
      ? [note(`${content.length - maxBlocks} more parts of the result are not shown.`)]
      : []),
    ...(isCut ? [note(describeCut(limits))] : []),
  ]
  const text = cut(parts.map(toModelText).join('\n'), limits.maxResultChars)
  return {
    parts: [...parts, ...omissions],
    // After the cut, so that the model reads what is missing.
    text:
      [text, ...omissions.map(toModelText)].filter((each) => each !== '').join('\n') ||
      'The tool returned no result.',
    isError: String(result['isError']).toLowerCase() === 'true',
    needsSignIn: isObject(result['_meta']) && result['_meta'][needsSignInKey] === true,
    bytes: countBytes(result),
  }
}

function describeCut({ maxCallBytes }: ConnectorLimits): string {
  const size =
    maxCallBytes >= 1_048_576 ? `${Math.floor(maxCallBytes / 1_048_576)} MiB` : `${maxCallBytes} bytes`
  return `The result is larger than ${size}. Only its first ${size} were read, and the rest was cut off.`
}

/** Reads the block in which a result was cut off: text has a use without its end, and other data has none. */
function readIncomplete(block: unknown): OutcomePart {
  const { type, text, resource } = isObject(block) ? block : {}
  const read = type === 'resource' && isObject(resource) ? resource['text'] : text
  return typeof read === 'string'
    ? { type: 'text', text: read }
    : note('A part of the result was cut off and is not shown.')
}

/** Keeps invisible characters, which the user is shown by number. The model does not get them. */
function normalizePart(part: OutcomePart): OutcomePart {
  return part.type === 'text' || part.type === 'json' ? { ...part, text: normalizeText(part.text) } : part
}

const unreadable = note('Part of the result could not be read.')

class BlockReader {
  readonly #limits: ConnectorLimits
  #files = 0

  constructor(limits: ConnectorLimits) {
    this.#limits = limits
  }

  /** Returns a note about the files above the limit. */
  describeOmitted(): OutcomePart[] {
    const { maxFiles } = this.#limits
    return this.#files > maxFiles
      ? [note(`Only the first ${maxFiles} of ${this.#files} files of the result are shown.`)]
      : []
  }

  /** Returns undefined for a file above the limit of their number. */
  read(block: unknown): OutcomePart | undefined {
    if (typeof block === 'string') return { type: 'text', text: block }
    if (!isObject(block)) return unreadable
    switch (block['type'] ?? 'text') {
      case 'text':
        return readText(block)
      case 'image':
        return this.#readImage(block)
      case 'resource':
        return this.#readResource(block['resource'])
      case 'resource_link':
        return readLink(block)
      case 'audio':
        return this.#readFile('audio', block['data'], block['mimeType'], 'recording')
      default:
        return note('A part of an unknown type is not shown.')
    }
  }

  #readImage({ data, mimeType }: JsonObject): OutcomePart | undefined {
    if (++this.#files > this.#limits.maxFiles) return undefined
    const claimed = typeof mimeType === 'string' ? ` (${cleanText(mimeType).slice(0, 50)})` : ''
    const tooLarge = isBase64(data) ? this.#describeTooLarge(`an image${claimed}`, data) : undefined
    const type = isBase64(data) && tooLarge === undefined ? findPictureType(data) : undefined
    if (isBase64(data) && type !== undefined) return { type: 'image', mimeType: type, data }
    return (
      tooLarge ??
      note(
        `An image${claimed} is not shown: it is not a PNG, JPEG, GIF or WebP image, or it has too many pixels.`,
      )
    )
  }

  #readResource(resource: unknown): OutcomePart | undefined {
    if (!isObject(resource)) return unreadable
    const { text, blob, mimeType, uri } = resource
    if (typeof text === 'string') return { type: 'text', text }
    if (typeof blob === 'string' && typeof mimeType === 'string' && mimeType.startsWith('image/')) {
      return this.#readImage({ data: blob, mimeType })
    }
    const name = typeof uri === 'string' ? cleanText(uri).slice(0, 300).split(/[/\\]/).at(-1) : undefined
    return this.#readFile('file', blob, mimeType, name || 'file')
  }

  #readFile(
    type: 'audio' | 'file',
    data: unknown,
    claimedType: unknown,
    name: string,
  ): OutcomePart | undefined {
    if (++this.#files > this.#limits.maxFiles) return undefined
    if (!isBase64(data)) return note(`A file of the result could not be read: ${name}.`)
    const tooLarge = this.#describeTooLarge(name, data)
    if (tooLarge !== undefined) return tooLarge
    const mimeType = typeof claimedType === 'string' ? cleanText(claimedType).slice(0, 100) : 'unknown type'
    return { type, mimeType, data, name }
  }

  #describeTooLarge(what: string, data: string): OutcomePart | undefined {
    const { maxFileBytes } = this.#limits
    const bytes = Math.floor((data.length * 3) / 4)
    if (bytes <= maxFileBytes) return undefined
    return note(
      `A file of the result (${what}, ${formatMegabytes(bytes)}) is not shown: at most ${formatMegabytes(maxFileBytes)} are.`,
    )
  }
}

function isBase64(data: unknown): data is string {
  return typeof data === 'string' && data !== '' && /^[A-Za-z0-9+/]*={0,2}$/.test(data)
}

/** The type of an image by its content; undefined when it is none that is shown, or has too many pixels. */
function findPictureType(data: string): string | undefined {
  const head = Buffer.from(data.slice(0, pictureHeadChars), 'base64')
  const sniffed = sniffKind(head.subarray(0, sniffedBytes), Infinity, '')
  if ('problem' in sniffed || !isPictureKind(sniffed.kind)) return undefined
  return 'problem' in readPicture(sniffed.kind, head) ? undefined : sniffed.mediaType
}

function readText({ text, annotations }: JsonObject): OutcomePart {
  if (text === undefined) return unreadable
  const audience = isObject(annotations) ? annotations['audience'] : undefined
  const isForModelOnly = Array.isArray(audience) && audience.length === 1 && audience[0] === 'assistant'
  return { type: 'text', text: toText(text), ...(isForModelOnly ? { forModel: true } : {}) }
}

/** Some servers send an object where its JSON belongs. */
function toText(text: unknown): string {
  if (typeof text === 'string') return text
  return text === null || isDeeperThan(text, maxDepth) ? '' : JSON.stringify(text)
}

function readLink({ uri, name, title }: JsonObject): OutcomePart {
  if (typeof uri !== 'string') return note('A link could not be read.')
  const label = [title, name].find((text): text is string => typeof text === 'string') ?? uri
  return { type: 'link', uri: cleanText(uri).slice(0, 2_000), name: cleanText(label).slice(0, 300) }
}

/** Returns the structured result, unless a text block repeats it: for older clients, servers send both. */
function readStructured(
  { structuredContent }: JsonObject,
  parts: readonly OutcomePart[],
): OutcomePart | undefined {
  if (structuredContent === undefined || structuredContent === null) return undefined
  if (isDeeperThan(structuredContent, maxDepth))
    return note('A structured result is not shown: it is nested too deeply.')
  const plain = JSON.stringify(structuredContent) ?? 'null'
  const isRepeated = parts.some((part) => part.type === 'text' && isSameJson(part.text, plain))
  if (isRepeated) return undefined
  // Indentation can make deeply nested lists a hundred times longer.
  const text = plain.length > maxIndentedChars ? plain : JSON.stringify(structuredContent, null, 2)
  return normalizePart({ type: 'json', text })
}

function isSameJson(text: string, plain: string): boolean {
  // Does not parse a text that does not look like JSON, or is much longer than indented JSON usually is.
  if (!/^\s*[[{"\d]/.test(text) || text.length > plain.length * 4 + 100) return false
  return JSON.stringify(parseJsonAsWritten(text)) === plain
}

function toModelText(part: OutcomePart): string {
  switch (part.type) {
    case 'text':
    case 'json':
      return cleanText(part.text)
    case 'image':
      return `[An image (${part.mimeType}) is shown to the user.]`
    case 'audio':
    case 'file':
      return `[The file "${part.name}" (${part.mimeType}) is shown to the user.]`
    case 'link':
      return `[Link: ${part.name} ${part.uri}]`
    case 'note':
      return `[${part.text}]`
  }
}

function note(text: string): OutcomePart {
  return { type: 'note', text }
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const omitted = text.length - maxChars
  return `${text.slice(0, maxChars).toWellFormed()}\n[${omitted.toLocaleString('en')} more characters were omitted.]`
}

function countBytes(result: JsonObject): number {
  // Serializing a much deeper result would overflow the stack.
  return isDeeperThan(result, maxDepth * 2) ? 0 : Buffer.byteLength(JSON.stringify(result))
}
