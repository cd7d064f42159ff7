/** Shorter secrets are not replaced, because any text may contain them by chance. */
const minSecretChars = 8
/** A beginning of a secret that is this short is not held back, as it is what a masked secret shows anyway. */
const minHeldChars = 4
/** More backslashes in a row, or more `25` after a percent sign, are no escape of anything. */
const maxEscapeChars = 64

const backslash = '\\'.charCodeAt(0)
const smallU = 'u'.charCodeAt(0)
const percent = '%'.charCodeAt(0)
const [digit0, digit7] = ['0'.charCodeAt(0), '7'.charCodeAt(0)]

/** A text that is looked for. */
interface Form {
  readonly text: string
  /** For each prefix of the text, the length of its longest proper prefix that it also ends with. */
  readonly borders: Uint32Array
}

interface Forms {
  readonly all: readonly Form[]
  /** By the lowest seven bits of a UTF-16 unit: 1 where a form may begin, 2 where an escaped character may. */
  readonly starts: Uint8Array
  /** By a hash of two units: 1 where a form may begin with both. */
  readonly pairs: Uint8Array
  readonly maxChars: number
}

/** Finds the forms of secrets: as they are, and in base64 behind any other bytes, as in `Authorization: Basic`. */
function findForms(secrets: readonly string[]): Forms | undefined {
  const long = secrets.filter((secret) => secret.length >= minSecretChars)
  const texts = new Set(long.flatMap((secret) => [unescape(secret), ...listBase64(secret)]))
  const all = [...texts]
    .filter((text) => text.length >= minSecretChars)
    .map((text) => ({ text, borders: findBorders(text) }))
  if (all.length === 0) return undefined
  const starts = new Uint8Array(128)
  const pairs = new Uint8Array(256)
  for (const { text } of all) {
    const [first, second] = [text.charCodeAt(0), text.charCodeAt(1)]
    starts[first & 127] = 1
    pairs[hashPair(first, second)] = 1
  }
  for (const code of [backslash, percent]) starts[code] = 2
  return { all, starts, pairs, maxChars: Math.max(...all.map(({ text }) => text.length)) }
}

function hashPair(first: number, second: number): number {
  return (first * 31 + second) & 255
}

/** The characters of base64 that depend on the secret only, for each number of bytes before it modulo 3. */
function listBase64(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const standard = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  return [...standard, ...standard.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))]
}

/** Removes the escapes of a secret, as they are ignored in the text too. */
function unescape(secret: string): string {
  const reader = new EscapeReader()
  let text = ''
  for (let at = 0; reader.read(secret, at, true); at = reader.end)
    if (reader.code >= 0) text += String.fromCharCode(reader.code)
  return text
}

/** Reads one character, which may be escaped, also in JSON in a string of JSON, or percent-encoded, also twice. */
class EscapeReader {
  /** The UTF-16 unit; -1 at the end of the text. */
  code = -1
  /** Where the character begins, with the backslashes that belong to it, and where the next one does. */
  start = 0
  end = 0

  /** Returns false when nothing is left, or more text is needed. */
  read(text: string, from: number, isWhole: boolean): boolean {
    let at = from
    for (;;) {
      const run = at
      while (text.charCodeAt(at) === backslash && at - run < maxEscapeChars) at++
      if (at === text.length) {
        this.#set(-1, run, at)
        return isWhole && at > from
      }
      const code = text.charCodeAt(at)
      if (at > run && code === smallU) {
        if (text.length < at + 5 && !isWhole) return false
        const escaped = readEscape(text, at)
        if (escaped === backslash && at - from < 8 * maxEscapeChars) {
          at += 5
          continue
        }
        if (escaped !== undefined) {
          this.#set(escaped, at - ((at - run) % 2 === 1 ? 1 : 2), at + 5)
          return true
        }
      }
      // An even number remains before it, so that the text stays JSON: two backslashes stand for one.
      const start = at - ((at - run) % 2)
      if (code !== percent) {
        this.#set(code, start, at + 1)
        return true
      }
      return this.#readPercent(text, start, at, isWhole)
    }
  }

  #readPercent(text: string, start: number, at: number, isWhole: boolean): boolean {
    let digits = at + 1
    while (text.startsWith('25', digits) && digits - at < maxEscapeChars) digits += 2
    if (text.length < digits + 2 && !isWhole) return false
    const hex = text.slice(digits, digits + 2)
    if (/^[0-7][\da-f]$/i.test(hex)) this.#set(Number.parseInt(hex, 16), start, digits + 2)
    // `%25` alone is a percent sign, as a plain one is.
    else this.#set(percent, start, digits)
    return true
  }

  #set(code: number, start: number, end: number): void {
    this.code = code
    this.start = start
    this.end = end
  }
}

/** Returns the UTF-16 unit of the escape `uXXXX` at an index; undefined when there is none. */
function readEscape(text: string, at: number): number | undefined {
  const escape = text.slice(at, at + 5)
  return /^u[\da-f]{4}$/i.test(escape) ? Number.parseInt(escape.slice(1), 16) : undefined
}

function findBorders(text: string): Uint32Array {
  const borders = new Uint32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = borders[length - 1] ?? 0
    if (text[at] === text[length]) length++
    borders[at] = length
  }
  return borders
}

/** Creates filters for texts of those that have received the secrets; undefined when there is nothing to hide. */
export function openSecretFilters(
  secrets: readonly (string | null | undefined)[],
): (() => SecretFilter) | undefined {
  const forms = findForms(secrets.filter((secret) => typeof secret === 'string'))
  return forms && (() => new SecretFilter(forms))
}

/**
 * Replaces secrets in a text that arrives in chunks, because responses are stored, shown and read by models. The text may
 * be JSON that is not parsed yet, in which any character may be escaped, and JSON in a string of JSON, or be
 * percent-encoded. The algorithm of Knuth, Morris and Pratt is linear in the length of the text, also when a server
 * chooses both the text and, as an access token, the secret.
 */
export class SecretFilter {
  readonly #forms: Forms
  readonly #reader = new EscapeReader()
  /** How much of each form the text ends with, and whether that is nothing of any. */
  readonly #matched: Uint32Array
  #isIdle = true
  /** A ring buffer of where the last characters begin in `#held`, and how many there were. */
  #begins: Int32Array | undefined
  #count = 0
  /** What may belong to a secret, and how much of it was read. */
  #held = ''
  #read = 0

  constructor(forms: Forms) {
    this.#forms = forms
    this.#matched = new Uint32Array(forms.all.length)
  }

  /** Returns the text that cannot belong to a secret; may be empty. */
  push(chunk: string): string {
    return this.#held === '' && this.#isIdle && this.#findStart(chunk, 0) === chunk.length
      ? chunk
      : this.#push(chunk, false)
  }

  /** Returns the text that was held back, without the beginning of a secret that was cut off. */
  end(): string {
    const rest = this.#push('', true)
    const longest = Math.max(...this.#matched)
    const held = this.#held
    const from = longest < minSecretChars ? held.length : this.#beginOf(longest)
    this.#held = ''
    this.#reset()
    return rest + (from === held.length ? held : `${held.slice(0, Math.max(0, from))}…`)
  }

  /** Replaces the secrets in a whole text. */
  hide(text: string): string {
    const hidden = this.#push(text, true) + this.#held
    this.#held = ''
    this.#reset()
    return hidden
  }

  #push(chunk: string, isWhole: boolean): string {
    const text = this.#held + chunk
    const { all, maxChars } = this.#forms
    const begins = (this.#begins ??= new Int32Array(maxChars))
    const reader = this.#reader
    let shown = ''
    let copied = 0
    let at = this.#read
    for (;;) {
      if (this.#isIdle) at = this.#findStart(text, at)
      if (!reader.read(text, at, isWhole)) break
      at = reader.end
      begins[this.#count % maxChars] = reader.start
      this.#count++
      const found = this.#advance(reader.code)
      if (found === undefined) continue
      shown += `${text.slice(copied, Math.max(copied, this.#beginOf(found)))}…`
      copied = at
      this.#reset()
    }
    // What was read and cannot belong to a secret is shown, and what is too short to be read is held back.
    const longest = all.reduce((most, _form, index) => Math.max(most, this.#matched[index] ?? 0), 0)
    const keepFrom = longest < minHeldChars ? at : Math.max(copied, this.#beginOf(longest))
    shown += text.slice(copied, keepFrom)
    this.#held = text.slice(keepFrom)
    this.#read = at - keepFrom
    if (longest > 0)
      for (let index = 0; index < begins.length; index++) begins[index] = (begins[index] ?? 0) - keepFrom
    return shown
  }

  /** Reads a character, and returns the length of the form that it completes, if it does. */
  #advance(code: number): number | undefined {
    const { all } = this.#forms
    let found: number | undefined
    let sum = 0
    for (let index = 0; index < all.length; index++) {
      const form = all[index]
      if (form === undefined) break
      const { text, borders } = form
      let matched = this.#matched[index] ?? 0
      while (matched > 0 && text.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0
      if (text.charCodeAt(matched) === code) matched++
      this.#matched[index] = matched
      sum += matched
      if (matched === text.length) found = Math.max(found ?? 0, matched)
    }
    this.#isIdle = sum === 0
    return found
  }

  #beginOf(length: number): number {
    return this.#begins?.[(this.#count - length) % this.#forms.maxChars] ?? 0
  }

  #reset(): void {
    this.#matched.fill(0)
    this.#isIdle = true
    this.#count = 0
    this.#read = 0
  }

  /** Whether an escape of a first character may begin with these two: a backslash or a percent sign, and what follows. */
  #mayEscape(code: number, next: number): boolean {
    if (code === percent) return next >= digit0 && next <= digit7
    return next === smallU || this.#forms.starts[next & 127] !== 0
  }

  /** Returns the next index at which a secret may begin. Most of a text is skipped here. */
  #findStart(text: string, from: number): number {
    const { starts, pairs } = this.#forms
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      const start = starts[code & 127]
      if (start === 0) continue
      if (at + 1 === text.length) return at
      const next = text.charCodeAt(at + 1)
      if (
        start === 1
          ? pairs[hashPair(code, next)] === 1 || starts[next & 127] === 2
          : this.#mayEscape(code, next)
      )
        return at
      // The character after a backslash, such as `n`, begins nothing.
      if (code === backslash) at++
    }
    return text.length
  }
}

/** Replaces a secret in a response of the server that received it, see `SecretFilter`. */
export function hideSecret(text: string, secret: string | null | undefined): string {
  return hideSecrets(text, [secret])
}

/** Hides each of several secrets. */
export function hideSecrets(text: string, secrets: readonly (string | null | undefined)[]): string {
  return openSecretFilters(secrets)?.().hide(text) ?? text
}

/** Returns a response whose body has none of the secrets. The body is read as UTF-8. */
export function hideInResponse(response: Response, secrets: readonly string[]): Response {
  const filter = openSecretFilters(secrets)?.()
  if (filter === undefined || response.body === null) return response
  const { status, statusText, headers } = response
  const hide = new TransformStream<string, string>({
    transform: (chunk, controller) => enqueue(controller, filter.push(chunk)),
    flush: (controller) => enqueue(controller, filter.end()),
  })
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(hide)
    .pipeThrough(new TextEncoderStream())
  return new Response(body, { status, statusText, headers })
}

function enqueue(controller: TransformStreamDefaultController<string>, text: string): void {
  if (text !== '') controller.enqueue(text)
}

/** Returns the secrets in the `Authorization` header of a request, if it has one. */
export function readAuthorization(headers: RequestInit['headers']): string[] {
  return listHeaderSecrets(new Headers(headers).get('authorization') ?? '')
}

/** Returns the secrets in the value of a header: a token behind its scheme, a password, or values of cookies. */
export function listHeaderSecrets(value: string): string[] {
  const words = value.split(/[ ;]+/).filter((word) => word !== '')
  const [scheme = '', credentials = ''] = words
  const login = scheme.toLowerCase() === 'basic' ? Buffer.from(credentials, 'base64').toString() : ''
  const values = [...words, login].flatMap((word) => [word, /^[^:=]+[:=](.+)$/s.exec(word)?.[1] ?? ''])
  return [...new Set(values)].filter((text) => text.length >= minSecretChars)
}
