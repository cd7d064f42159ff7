/** Shorter secrets are not replaced, because any text may contain them by chance. */
const minSecretChars = 8

const backslash = '\\'.charCodeAt(0)
const smallU = 'u'.charCodeAt(0)

/**
 * Replaces a secret in a response of the server that received it, because responses are stored, shown and read by
 * models. The response may be JSON that is not parsed yet, in which any character may be escaped, and JSON in a string
 * of JSON. So backslashes are ignored and `\u` escapes decoded. The algorithm of Knuth, Morris and Pratt is linear in
 * the length of the text, also when a server chooses both the text and, as an access token, the secret.
 */
export function hideSecret(text: string, secret: string | undefined): string {
  if (secret === undefined || secret.length < minSecretChars) return text
  const sought = secret.replaceAll('\\', '')
  if (sought === '') return text
  const first = sought.charCodeAt(0)
  const borders = findBorders(sought)
  /** A ring buffer of the indexes at which the last characters of the text begin, as many as `sought` has. */
  const starts = new Uint32Array(sought.length)
  let hidden = ''
  let copied = 0
  let matched = 0
  let slot = 0
  for (let at = 0; at < text.length;) {
    if (matched === 0) {
      at = findCandidate(text, at, first)
      if (at === text.length) break
    }
    const run = at
    while (text.charCodeAt(at) === backslash) at++
    const escaped = at > run ? readEscape(text, at) : undefined
    if (escaped === backslash) {
      at += 5
      continue
    }
    const code = escaped ?? text.charCodeAt(at)
    starts[slot] = at > run ? at - countOwnBackslashes(at - run, escaped !== undefined) : at
    slot = slot + 1 < sought.length ? slot + 1 : 0
    at += escaped === undefined ? 1 : 5
    while (matched > 0 && sought.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0
    if (sought.charCodeAt(matched) === code) matched++
    if (matched < sought.length) continue
    hidden += `${text.slice(copied, starts[slot])}…`
    copied = at
    matched = 0
  }
  return hidden + text.slice(copied)
}

/** Returns the next index at which a secret with this first UTF-16 unit may begin. Most of a text is skipped here. */
function findCandidate(text: string, from: number, first: number): number {
  let at = from
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === first) break
    if (code !== backslash) {
      at++
      continue
    }
    const next = text.charCodeAt(at + 1)
    if (next === first || next === smallU || next === backslash) break
    at += 2
  }
  return Math.min(at, text.length)
}

/** Returns the UTF-16 unit of the escape `uXXXX` at an index; undefined when there is none. */
function readEscape(text: string, at: number): number | undefined {
  if (text.charCodeAt(at) !== smallU) return undefined
  const escape = text.slice(at, at + 5)
  return /^u[\da-f]{4}$/i.test(escape) ? Number.parseInt(escape.slice(1), 16) : undefined
}

/**
 * Returns how many of the backslashes before a character belong to it. An even number remains before it, so that the
 * text stays JSON: where a string of JSON contains JSON, two backslashes stand for one.
 */
function countOwnBackslashes(length: number, isUnicode: boolean): number {
  if (length % 2 === 1) return 1
  return isUnicode ? 2 : 0
}

/** Returns, for each prefix of a text, the length of its longest proper prefix that it also ends with. */
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

/** Hides each of several secrets, see `hideSecret`. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce(hideSecret, text)
}

/** Returns the secret in the `Authorization` header of a request, if it has one. */
export function readAuthorization(headers: RequestInit['headers']): string[] {
  const secret = new Headers(headers).get('authorization')?.split(' ').at(-1)
  return secret === undefined ? [] : [secret]
}
