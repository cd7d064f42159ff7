/** Bytes of one element. A larger one is skipped. */
export const maxElementBytes = 64 * 1024 * 1024
/**
 * Commas and opening brackets of one element. Parsing is native and cannot be interrupted, so a text of which V8 makes
 * more than the heap of the thread would end the process. Of this many values it makes at most 400 MB (measured with
 * empty objects, lists inside one another, and objects that share no key).
 */
const maxValues = 4_000_000
/** Open brackets inside one another: a chat of 100,000 messages can be nested as deeply as it is long. */
const maxDepth = 1_000_000
/** Bytes of an unreadable element that are kept, in which its id and title are looked for. */
const maxStartBytes = 4_096
/** Bytes of a member's name. */
const maxKeyBytes = 1_000

/** A value that was cut out of a JSON text. */
export interface JsonPart {
  /** The member of the top-level object that it is, or whose list has it. Null in a top-level list. */
  readonly key: string | null
  /** Whether it is an element of a list, and not a member of the top-level object. */
  readonly isItem: boolean
  /** In bytes. */
  readonly size: number
  readonly result:
    | { readonly value: unknown }
    /** A sentence about it, and how it begins. */
    | { readonly problem: string; readonly start: string }
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

const isSpace = (byte: number): boolean =>
  byte === 0x20 ||
  byte === 0x0a ||
  byte === 0x0d ||
  byte === 0x09 ||
  byte === 0xef ||
  byte === 0xbb ||
  byte === 0xbf

/**
 * Cuts a JSON text into the elements of its top-level list, or the members of its top-level object, and parses each by
 * itself, so that a text of any size needs the memory of its largest element, and a broken element is one part with a
 * problem. The members whose names are in `listKeys` are cut into their elements as well. Brackets and strings are
 * followed byte by byte, which UTF-8 allows. A missing or surplus bracket ends the element in which it is.
 */
export class JsonSplitter {
  readonly #listKeys: ReadonlySet<string>
  #parts: JsonPart[] = []
  #mode: 'start' | 'between' | 'key' | 'colon' | 'value' | 'end' | 'no json' = 'start'
  /** The brackets that are open, from the top level. */
  readonly #open: number[] = []
  /** How many of them are objects. */
  #openObjects = 0
  /** Brackets beyond `maxDepth`. */
  #tooDeep = 0
  /** How many brackets are open between two values: 1, or 2 inside a list of `listKeys`. */
  #base = 1
  #top = openList
  #inString = false
  #isEscaped = false
  #keyBytes: number[] = []
  #key: string | null = null
  #pieces: Buffer[] = []
  #size = 0
  #valueCount = 0
  #problem: string | null = null

  constructor(listKeys: ReadonlySet<string> = new Set()) {
    this.#listKeys = listKeys
  }

  /** Returns the values that have become complete. */
  push(chunk: Buffer): readonly JsonPart[] {
    for (let at = 0; at < chunk.length && this.#mode !== 'no json';) {
      at = this.#mode === 'value' ? this.#scanValue(chunk, at) : this.#scanOther(chunk, at)
    }
    return this.#takeParts()
  }

  /** Returns what is left: a value that the end of the text has cut, or that the text ends too early. */
  end(): readonly JsonPart[] {
    if (this.#mode === 'value') {
      this.#problem ??= 'The file ends in the middle of it.'
      this.#endValue()
    } else if (this.#open.length > 0) {
      const result = { problem: 'The file ends too early. Chats may be missing.', start: '' }
      this.#parts.push({ key: null, isItem: true, size: 0, result })
    }
    return this.#takeParts()
  }

  #takeParts(): readonly JsonPart[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  /** Returns the place after the value, or the end of the chunk. */
  #scanValue(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === backslash) this.#isEscaped = true
        else if (byte === quote) this.#inString = false
      } else if (byte === quote) this.#inString = true
      else if (byte === openObject || byte === openList) {
        this.#valueCount++
        this.#push(byte)
      } else if (byte === closeObject || byte === closeList) {
        const isNested = this.#depth() > this.#base
        this.#close(byte)
        if (this.#depth() > this.#base) continue
        // A bracket that closes the list itself is no part of the value.
        const end = isNested && this.#depth() === this.#base ? at + 1 : at
        this.#capture(chunk, from, end)
        this.#endValue()
        return at + 1
      } else if (byte === comma) {
        this.#valueCount++
        if (this.#depth() > this.#base) continue
        this.#capture(chunk, from, at)
        this.#endValue()
        return at + 1
      }
    }
    this.#capture(chunk, from, chunk.length)
    return chunk.length
  }

  /** Reads one byte outside of values. Returns its place if a value begins with it, or the next place. */
  #scanOther(chunk: Buffer, at: number): number {
    const byte = chunk[at] ?? 0
    switch (this.#mode) {
      case 'key':
        this.#scanKey(byte)
        return at + 1
      case 'colon':
        if (byte === colon) this.#mode = 'between'
        return at + 1
      default:
        if (isSpace(byte)) return at + 1
    }
    if (this.#mode === 'start' || this.#mode === 'end') return this.#scanOutside(byte, at)
    if (byte === comma) return at + 1
    if (byte === closeObject || byte === closeList) {
      this.#close(byte)
      this.#followDepth()
      return at + 1
    }
    const isMember = this.#base === 1 && this.#top === openObject
    if (isMember && this.#key === null) {
      if (byte === quote) this.#mode = 'key'
      return at + 1
    }
    if (isMember && byte === openList && this.#listKeys.has(this.#key ?? '')) {
      this.#push(byte)
      this.#base = 2
      return at + 1
    }
    this.#mode = 'value'
    return at
  }

  #scanOutside(byte: number, at: number): number {
    if (byte === openList || byte === openObject) {
      this.#top = byte
      this.#reopen()
    } else if (this.#mode === 'end' && byte === comma) {
      // The bracket that seemed to be the last one was a surplus one.
      this.#reopen()
    } else if (this.#mode === 'start') {
      this.#mode = 'no json'
    }
    return at + 1
  }

  #reopen(): void {
    this.#push(this.#top)
    this.#base = 1
    this.#key = null
    this.#mode = 'between'
  }

  #scanKey(byte: number): void {
    if (byte === quote && !this.#isEscaped) {
      this.#key = parseKey(Buffer.from(this.#keyBytes))
      this.#keyBytes = []
      this.#mode = 'colon'
      return
    }
    this.#isEscaped = byte === backslash && !this.#isEscaped
    if (this.#keyBytes.length < maxKeyBytes) this.#keyBytes.push(byte)
  }

  #depth(): number {
    return this.#open.length + this.#tooDeep
  }

  #push(byte: number): void {
    if (this.#open.length === maxDepth) {
      this.#tooDeep++
      this.#problem = 'It is nested too deeply.'
      return
    }
    this.#open.push(byte)
    if (byte === openObject) this.#openObjects++
  }

  /** Closes the nearest bracket of this kind, and with it those inside that are not closed; none if none is open. */
  #close(byte: number): void {
    if (this.#tooDeep > 0) {
      this.#tooDeep--
      return
    }
    const opener = byte === closeObject ? openObject : openList
    const count = opener === openObject ? this.#openObjects : this.#open.length - this.#openObjects
    if (count === 0) return
    for (let closed = this.#open.pop(); closed !== undefined; closed = this.#open.pop()) {
      if (closed === openObject) this.#openObjects--
      if (closed === opener) return
    }
  }

  #capture(chunk: Buffer, from: number, end: number): void {
    this.#size += end - from
    if (this.#valueCount > maxValues) this.#problem ??= 'It has too many parts.'
    if (this.#size > maxElementBytes) this.#problem = `It is larger than ${maxElementBytes / 1024 / 1024} MB.`
    if (this.#problem !== null && this.#size > maxStartBytes) {
      this.#pieces.push(chunk.subarray(from, Math.min(end, from + maxStartBytes)))
      this.#pieces = [Buffer.from(Buffer.concat(this.#pieces).subarray(0, maxStartBytes))]
    } else {
      this.#pieces.push(chunk.subarray(from, end))
    }
  }

  #endValue(): void {
    const bytes = Buffer.concat(this.#pieces)
    this.#parts.push({
      key: this.#key,
      isItem: this.#base === 2 || this.#top === openList,
      size: this.#size,
      result: this.#problem === null ? parse(bytes) : { problem: this.#problem, start: startOf(bytes) },
    })
    this.#pieces = []
    this.#size = 0
    this.#valueCount = 0
    this.#problem = null
    this.#inString = false
    this.#isEscaped = false
    this.#mode = 'between'
    this.#followDepth()
  }

  /** Continues on the level that the last bracket has left. */
  #followDepth(): void {
    const depth = this.#depth()
    if (depth < this.#base) this.#base = 1
    if (this.#base === 1) this.#key = null
    if (depth === 0) this.#mode = 'end'
  }
}

function parse(bytes: Buffer): JsonPart['result'] {
  try {
    return { value: JSON.parse(bytes.toString('utf8')) as unknown }
  } catch {
    return { problem: 'It is damaged: it is not valid JSON.', start: startOf(bytes) }
  }
}

function parseKey(bytes: Buffer): string {
  try {
    return String(JSON.parse(`"${bytes.toString('utf8')}"`))
  } catch {
    return bytes.toString('utf8')
  }
}

function startOf(bytes: Buffer): string {
  return bytes.subarray(0, maxStartBytes).toString('utf8')
}
