/** Shorter secrets are not replaced, because any text may contain them by chance. */
const minSecretChars = 8

/** The message of a server is JSON, and so may be a text in it. */
const maxEscapings = 2

/**
 * Replaces a secret in a response of the server that received it, because responses are stored, shown and read by models.
 * The response may be JSON that is not parsed yet, in which any character may be escaped. The work is linear.
 */
export function hideSecret(text: string, secret: string | undefined): string {
  if (secret === undefined || secret.length < minSecretChars) return text
  let hidden = text.replaceAll(secret, '…')
  for (let escapings = 1; escapings <= maxEscapings; escapings++) {
    const decodings: Decoding[] = []
    let decoded = hidden
    while (decodings.length < escapings && decoded.includes('\\')) {
      const decoding = decodeEscapes(decoded)
      decodings.unshift(decoding)
      decoded = decoding.text
    }
    let ranges = findRanges(decoded, secret)
    for (const { escapes } of decodings) ranges = toSource(ranges, escapes)
    hidden = replaceRanges(hidden, ranges)
  }
  return hidden
}

/** A part of a text, from its first character to the one after its last. */
type Range = readonly [start: number, end: number]

/** An escape of `length` characters, which became the character at `index` of the decoded text. */
interface Escape {
  readonly index: number
  readonly length: number
}

interface Decoding {
  readonly text: string
  readonly escapes: readonly Escape[]
}

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Decodes the escapes of JSON strings anywhere in a text, whether it is JSON or not. */
function decodeEscapes(source: string): Decoding {
  const escapes: Escape[] = []
  let removed = 0
  const text = source.replace(
    /\\(?:u([\da-fA-F]{4})|(.))/gs,
    (escape: string, hex: string | undefined, char: string, at: number) => {
      escapes.push({ index: at - removed, length: escape.length })
      removed += escape.length - 1
      return hex === undefined ? (controls[char] ?? char) : String.fromCharCode(parseInt(hex, 16))
    },
  )
  return { text, escapes }
}

function findRanges(text: string, secret: string): Range[] {
  const ranges: Range[] = []
  for (let start = text.indexOf(secret); start !== -1;) {
    ranges.push([start, start + secret.length])
    start = text.indexOf(secret, start + secret.length)
  }
  return ranges
}

/** Converts ranges of a decoded text, in order, to those of the text with its escapes. */
function toSource(ranges: readonly Range[], escapes: readonly Escape[]): Range[] {
  let passed = 0
  let added = 0
  const convert = (index: number): number => {
    for (let escape = escapes[passed]; escape !== undefined && escape.index < index;) {
      added += escape.length - 1
      escape = escapes[++passed]
    }
    return index + added
  }
  return ranges.map(([start, end]) => [convert(start), convert(end)])
}

function replaceRanges(text: string, ranges: readonly Range[]): string {
  const ends = [0, ...ranges.map(([, end]) => end)]
  const kept = ends.map((end, index) => text.slice(end, ranges[index]?.[0]))
  return kept.join('…')
}

/** Returns the secret in the `Authorization` header of a request. */
export function readAuthorization(headers: RequestInit['headers']): string | undefined {
  return new Headers(headers).get('authorization')?.split(' ').at(-1)
}
