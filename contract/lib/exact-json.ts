/**
 * JSON whose numbers stay as they were written. `JSON.parse` makes a double of each number, so 1234567890123456789
 * becomes 1234567890123456800, 1e400 becomes infinite, and -0 is written as 0. Here such a number becomes an
 * `ExactNumber`, which `JSON.stringify` writes as it was written; every other number is an ordinary one.
 */

/** The native function, which Node and newer browsers have. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown }

/** A number that a double cannot hold. It does not survive a structured clone: pass the text to a thread. */
export class ExactNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }

  /** The nearest double. */
  valueOf(): number {
    return Number(this.source)
  }

  toString(): string {
    return this.source
  }

  /** In an older browser, which only shows numbers, the text in quotes. */
  toJSON(): unknown {
    return rawJSON?.(this.source) ?? this.source
  }
}

/** An object of the text has the same key twice. The message, a part of a sentence, names the key and its place. */
export class RepeatedKeyError extends Error {}

interface ParseOptions {
  /** Whether a repeated key is an error. Otherwise its last value counts, as with `JSON.parse`. */
  readonly refusesRepeatedKeys?: boolean
  /** Objects and lists under this key are returned as their text, unparsed; one within another is part of its text. */
  readonly sourceKey?: string
}

/** Parses JSON like `JSON.parse`, but keeps what a double cannot hold. @throws SyntaxError */
export function parseJsonExactly(text: string): unknown {
  return inexactNumber.test(text) ? new Parser(text, {}).parse() : JSON.parse(text)
}

/**
 * Parses JSON like `parseJsonExactly`, and reads it as `options` say.
 * @throws SyntaxError, RepeatedKeyError
 */
export function readJson(text: string, options: ParseOptions): unknown {
  return new Parser(text, options).parse()
}

/** Finds what may be a number that a double cannot hold, also within a string. */
const inexactNumber = /(?:^|[[:,\s])(?:-?(?:[\d.]{16}|[\d.]{1,15}[eE])|-0)/

const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const space = /[\t\n\r ]*/y

/** Deeper JSON is read by `JSON.parse`, which needs no stack for it. Nothing that is so deep is shown or sent. */
const maxDepth = 500
/** The characters of a place or a key in a sentence. */
const maxNamedChars = 100

class TooDeep extends Error {}

class Parser {
  readonly #text: string
  readonly #options: ParseOptions
  #at = 0
  readonly #path: (string | number)[] = []
  /** The items of the open lists. A list is copied from here, because one that grows takes more memory. */
  readonly #items: unknown[] = []

  constructor(text: string, options: ParseOptions) {
    this.#text = text
    this.#options = options
  }

  parse(): unknown {
    try {
      const value = this.#readValue(0)
      if (this.#skipSpace() !== undefined) throw this.#unexpected()
      return value
    } catch (error) {
      if (error instanceof TooDeep) return JSON.parse(this.#text)
      throw error
    }
  }

  #readValue(depth: number): unknown {
    switch (this.#skipSpace()) {
      case '{':
        return this.#readObject(depth)
      case '[':
        return this.#readList(depth)
      case '"':
        return this.#readString()
      case 't':
        return this.#readWord('true', true)
      case 'f':
        return this.#readWord('false', false)
      case 'n':
        return this.#readWord('null', null)
      default:
        return this.#readNumber()
    }
  }

  #readObject(depth: number): Record<string, unknown> {
    if (depth === maxDepth) throw new TooDeep()
    const object: Record<string, unknown> = {}
    this.#at++
    if (this.#skipSpace() === '}') return this.#close(object)
    for (;;) {
      if (this.#skipSpace() !== '"') throw this.#unexpected()
      const key = this.#readString()
      if (this.#options.refusesRepeatedKeys === true && Object.hasOwn(object, key)) throw this.#repeated(key)
      if (this.#skipSpace() !== ':') throw this.#unexpected()
      this.#at++
      this.#path.push(key)
      const value = this.#readMember(key, depth + 1)
      this.#path.pop()
      // An assignment would set the prototype.
      if (key === '__proto__')
        Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
      else object[key] = value
      const next = this.#skipSpace()
      if (next === '}') return this.#close(object)
      if (next !== ',') throw this.#unexpected()
      this.#at++
    }
  }

  #readMember(key: string, depth: number): unknown {
    if (key !== this.#options.sourceKey) return this.#readValue(depth)
    this.#skipSpace()
    const start = this.#at
    const value = this.#readValue(depth)
    return typeof value === 'object' && value !== null && !(value instanceof ExactNumber)
      ? this.#text.slice(start, this.#at)
      : value
  }

  #readList(depth: number): unknown[] {
    if (depth === maxDepth) throw new TooDeep()
    const items = this.#items
    const start = items.length
    this.#at++
    if (this.#skipSpace() === ']') return this.#close([])
    for (;;) {
      this.#path.push(items.length - start)
      const item = this.#readValue(depth + 1)
      items.push(item)
      this.#path.pop()
      const next = this.#skipSpace()
      if (next === ']') {
        const list = items.slice(start)
        items.length = start
        return this.#close(list)
      }
      if (next !== ',') throw this.#unexpected()
      this.#at++
    }
  }

  #close<Value>(value: Value): Value {
    this.#at++
    return value
  }

  #readString(): string {
    const end = endOfString(this.#text, this.#at)
    if (end === -1) throw this.#unexpected()
    const quoted = this.#text.slice(this.#at, end + 1)
    this.#at = end + 1
    return JSON.parse(quoted) as string
  }

  #readNumber(): number | ExactNumber {
    numberToken.lastIndex = this.#at
    const [token] = numberToken.exec(this.#text) ?? []
    if (token === undefined) throw this.#unexpected()
    // Of a longer text, the parts would keep all of it in memory.
    const source = token.length < 13 ? token : ` ${token}`.slice(1)
    this.#at += token.length
    return isHeldByDouble(source) ? Number(source) : new ExactNumber(source)
  }

  #readWord<Value>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#at)) throw this.#unexpected()
    this.#at += word.length
    return value
  }

  /** Returns the next character that is no white space; undefined at the end. */
  #skipSpace(): string | undefined {
    // Most tokens have none between them.
    if (this.#text.charCodeAt(this.#at) <= 32) {
      space.lastIndex = this.#at
      this.#at += space.exec(this.#text)?.[0].length ?? 0
    }
    return this.#text[this.#at]
  }

  #unexpected(): SyntaxError {
    return new SyntaxError(`Unexpected ${this.#at < this.#text.length ? 'token' : 'end'} at ${this.#at}.`)
  }

  #repeated(key: string): RepeatedKeyError {
    const shorten = (text: string) => JSON.stringify(text.slice(0, maxNamedChars).toWellFormed())
    const place = this.#path.length === 0 ? '' : ` in ${shorten(this.#path.join('.'))}`
    return new RepeatedKeyError(`the key ${shorten(key)}${place} more than once`)
  }
}

/** Returns the place of the quotation mark that ends the string which one at `start` begins; -1 without one. */
export function endOfString(json: string, start: number): number {
  let end = start
  let isEscaped = true
  while (isEscaped) {
    end = json.indexOf('"', end + 1)
    let before = end
    while (json[before - 1] === '\\') before--
    isEscaped = (end - before) % 2 === 1
  }
  return end
}

/** Whether a double has the value of this JSON number, and is written with its sign. */
export function isHeldByDouble(source: string): boolean {
  // The length bounds the work.
  if (source.length > 1_000) return false
  const value = Number(source)
  if (value === 0 && source.startsWith('-')) return false
  // A double holds every number of 15 digits, except near the ends of its range.
  const size = Math.abs(value)
  const isUsual = size === 0 ? /^[0.]+(?:e|$)/i.test(source) : size > 1e-290 && size < 1e290
  if (isUsual && source.length < 16) return true
  return Number.isFinite(value) && compareNumbers(source, String(value)) === 0
}

/** Whether a text is a number as JSON writes it. */
export function isJsonNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)
}

/** Whether a number, as JSON writes it, is a whole one. */
export function isWholeNumber(source: string): boolean {
  const { digits, point } = toDecimal(source)
  return BigInt(digits.length) <= point
}

/** Compares the values of two numbers, given as JSON writes them: negative, 0 or positive. */
export function compareNumbers(left: string, right: string): number {
  const [a, b] = [toDecimal(left), toDecimal(right)]
  if (a.sign !== b.sign) return a.sign - b.sign
  if (a.point !== b.point) return a.point < b.point ? -a.sign : a.sign
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -a.sign : a.sign
}

interface Decimal {
  readonly sign: -1 | 0 | 1
  /** The digits of the value 0.{digits} × 10^point, without zeros at their ends. */
  readonly digits: string
  readonly point: bigint
}

function toDecimal(source: string): Decimal {
  const [mantissa = '', exponent = '0'] = source.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const all = whole + fraction
  let [start, end] = [0, all.length]
  while (all[start] === '0') start++
  while (end > start && all[end - 1] === '0') end--
  if (start === end) return { sign: 0, digits: '', point: 0n }
  return {
    sign: source.startsWith('-') ? -1 : 1,
    digits: all.slice(start, end),
    point: readExponent(exponent) + BigInt(whole.length - start),
  }
}

/** Digits of an exponent. One with more counts as this large, because reading a million digits takes a tenth of a second. */
const maxExponentDigits = 1_000

function readExponent(text: string): bigint {
  const digits = text.replace(/^[+-]?0*/, '')
  const size = digits.length > maxExponentDigits ? 10n ** BigInt(maxExponentDigits) : BigInt(digits)
  return text.startsWith('-') ? -size : size
}
