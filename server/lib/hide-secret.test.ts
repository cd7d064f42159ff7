import { describe, expect, it } from 'vitest'
import { hideSecret } from './hide-secret.ts'

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
