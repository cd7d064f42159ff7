import { describe, expect, it } from 'vitest'
import { hideSecret } from './hide-secret.ts'

const secret = 'ab+c/d+e/f='

describe('hiding a secret in a response', () => {
  it.each([
    ['as it is', secret],
    ['with escaped slashes', String.raw`ab+c\/d+e\/f=`],
    ['with escaped pluses', String.raw`ab\u002Bc/d\u002Be/f=`],
    ['with pluses escaped in lower case', String.raw`ab\u002bc/d\u002be/f=`],
  ])('replaces it %s, everywhere (§21.16)', (_form, written) => {
    expect(hideSecret(`{"a":"${written}","b":"x ${written}"}`, secret)).toBe('{"a":"…","b":"x …"}')
  })

  it('keeps other text, and a secret that any text may contain by chance (§21.16)', () => {
    expect(hideSecret('ab+c/d+e/f', secret)).toBe('ab+c/d+e/f')
    expect(hideSecret('a.c', 'a.c')).toBe('a.c')
  })
})
