import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hideInResponse, hideSecret, listHeaderSecrets, openSecretFilters } from './hide-secret.ts'

const secret = 'ab+c/d+e/f='

/** Writes every character as JSON permits, with its number in lower case. */
function escapeAll(text: string): string {
  const escape = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return text.split('').map(escape).join('')
}

describe('hiding a secret in a response', () => {
  it.each([
    ['as it is', secret],
    ['with escaped slashes', String.raw`ab+c\/d+e\/f=`],
    ['with escaped pluses', String.raw`ab\u002Bc/d\u002Be/f=`],
    ['with pluses escaped in lower case', String.raw`ab\u002bc/d\u002be/f=`],
    ['with a letter escaped', String.raw`\u0061b+c/d+e/f=`],
    ['with its end escaped', String.raw`ab+c/d+e/f\u003D`],
    ['with every character escaped', escapeAll(secret)],
    ['with every character escaped, in upper case', escapeAll(secret).toUpperCase().replaceAll('U', 'u')],
    ['escaped in JSON that is itself a string of JSON', JSON.stringify(escapeAll(secret)).slice(1, -1)],
  ])('replaces it %s, everywhere', (_form, written) => {
    expect(hideSecret(`{"a":"${written}","b":"x ${written}"}`, secret)).toBe('{"a":"…","b":"x …"}')
  })

  it('keeps the escapes around it, so that the message stays JSON', () => {
    const text = 'C:\\n \u2028 "quoted"\n'
    const message = JSON.stringify({ text: `${text}SECRET${text}SECRET` })
    const hidden = hideSecret(message.replaceAll('SECRET', escapeAll(secret)), secret)
    expect(JSON.parse(hidden)).toEqual({ text: `${text}…${text}…` })
  })

  it.each([
    ['behind a beginning that repeats itself', 'aabaabaac', 'aabaabaabaac', 'aab…'],
    ['twice in a row', 'aabaabaac', 'aabaabaacaabaabaac', '……'],
    ['with backslashes, escaped once', String.raw`pass\"word`, String.raw`x pass\\\"word`, 'x …'],
    ['behind an escaped backslash', 'password', String.raw`C:\\password`, String.raw`C:\\…`],
  ])('replaces it %s', (_where, hiddenSecret, text, expected) => {
    expect(hideSecret(text, hiddenSecret)).toBe(expected)
  })

  it('keeps other text, and a secret that any text may contain by chance', () => {
    expect(hideSecret('ab+c/d+e/f', secret)).toBe('ab+c/d+e/f')
    const others = String.raw`\u0061b+c/d+e/f \u00 \ \\u0061 \n`
    expect(hideSecret(others, secret)).toBe(others)
    expect(hideSecret('a.c', 'a.c')).toBe('a.c')
  })
})

/** Writes a secret as a server may repeat it. */
const percentEncode = (text: string) =>
  text.replaceAll(/./gs, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
const base64 = (text: string) => Buffer.from(text).toString('base64')
const forms: readonly (readonly [string, (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['percent-encoded', encodeURIComponent],
  ['percent-encoded in lower case', (text) => encodeURIComponent(text).toLowerCase()],
  ['percent-encoded in every character', percentEncode],
  ['percent-encoded twice', (text) => encodeURIComponent(percentEncode(text))],
  ['as JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['as JSON in JSON', (text) => JSON.stringify(JSON.stringify(escapeAll(text)).slice(1, -1)).slice(1, -1)],
]

describe('hiding secrets in a text that arrives in chunks', () => {
  const hideChunks = (chunks: readonly string[], secrets: readonly string[]) => {
    const filter = openSecretFilters(secrets)?.()
    return [...chunks.map((chunk) => filter?.push(chunk) ?? chunk), filter?.end() ?? '']
  }
  const lower = 'sk-canary-0123/x+y="'

  it.each(forms)('finds one %s, however it is split', (name, write) => {
    const key = name.includes('lower') ? lower.toLowerCase() : lower
    const written = write(key)
    for (let size = 1; size <= written.length; size++) {
      const text = `Your key is ${written}, as it was, 100% s\\k-canary too.`
      const chunks = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const shown = hideChunks(chunks, [key]).join('')
      // At most three characters of it were shown before.
      const before = /^Your key is ([^…]*)…, as it was, 100% s\\k-canary too\.$/.exec(shown)?.[1] ?? shown
      expect(written.startsWith(before)).toBe(true)
      expect(before.length).toBeLessThanOrEqual(write(key.slice(0, 3)).length)
    }
  })

  it('finds one in base64, alone and behind a name, as `Authorization: Basic` has it', () => {
    for (const text of [base64(lower), base64(`ab:${lower}`), base64(`a:${lower}x`), base64(`:${lower}xy`)]) {
      const hidden = hideChunks(`Basic ${text}.`.split(''), [lower]).join('')
      expect(hidden).toMatch(/^Basic [\w+/]{0,9}…[\w+/=]{0,4}\.$/)
      expect(hideSecret(text.replaceAll('+', '-').replaceAll('/', '_'), lower)).toContain('…')
    }
  })

  it('holds nothing back but a possible beginning of it', () => {
    expect(hideChunks(['This is', ' sk-c', 'at and', ' sk-canar', 'ies.'], [lower])).toEqual([
      'This is',
      ' ',
      'sk-cat and',
      ' ',
      'sk-canaries.',
      '',
    ])
  })

  it('hides a beginning of it that the end of the text has cut off, but no short one', () => {
    expect(hideChunks(['Key sk-canary-01'], [lower]).join('')).toBe('Key …')
    expect(hideChunks(['Key sk-can'], [lower]).join('')).toBe('Key sk-can')
  })

  it('hides each of several, and none shorter than eight characters', () => {
    expect(hideChunks(['abcdefgh 12345678 1234567'], ['abcdefgh', '12345678', 'x', '']).join('')).toBe(
      '… … 1234567',
    )
    expect(openSecretFilters(['1234567', '', null, undefined])).toBeUndefined()
  })

  it('never shows it whole, and changes no text that does not have it', () => {
    const written = forms.map(([, write]) => write('aabaabaac'))
    const piece = fc.oneof(fc.constantFrom(...written, 'aab', '\\', 'é', '😀'), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(fc.array(piece), (chunks) => {
        expect(hideChunks(chunks, ['aabaabaac']).join('')).not.toMatch(/aabaabaac/)
        expect(hideChunks(chunks, ['zzzzzzzz9']).join('')).toBe(chunks.join(''))
      }),
    )
  })

  it('removes it from the body of a response', async () => {
    const chunks = ['{"a":"sk-can', 'ary-0123/x+', String.raw`y=\"","b":"é"}`].map((text) =>
      Buffer.from(text),
    )
    const response = new Response(ReadableStream.from(chunks), { status: 201 })
    const hidden = hideInResponse(response, [lower])
    expect([hidden.status, await hidden.text()]).toEqual([201, '{"a":"…","b":"é"}'])
  })
})

it.each([
  ['Bearer abcdefgh1', ['abcdefgh1']],
  [`Basic ${base64('user:password1')}`, [base64('user:password1'), 'user:password1', 'password1']],
  ['session=abcdefgh; other=ijklmnop', ['session=abcdefgh', 'abcdefgh', 'other=ijklmnop', 'ijklmnop']],
  ['abcdefgh', ['abcdefgh']],
  ['Bearer short', []],
])('the header %s has the secrets %j', (value, secrets) => {
  expect(listHeaderSecrets(value)).toEqual(secrets)
})
