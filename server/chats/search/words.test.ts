import { describe, expect, it } from 'vitest'
import { matchExpression, splitGrams, isExact, tsqueryOf } from './words.ts'

describe('grams', () => {
  it('are all four-grams of each word and its last one to three characters, each once', () => {
    expect(splitGrams('hello  hell')).toBe('hell ello llo lo o ell ll l')
    expect(splitGrams('天气\n👩‍👧')).toBe('天气 气 👩‍👧 ‍👧 👧')
    expect(splitGrams(' \n')).toBe('')
  })

  it('are combined for a long word, and matched as a prefix for a short one', () => {
    expect(matchExpression('hello')).toBe('"hell" AND "ello"')
    expect(matchExpression('hel')).toBe('"hel" *')
    expect(matchExpression('a"b')).toBe('"a""b" *')
    expect(matchExpression('aaaaaa')).toBe('"aaaa"')
  })

  it('are combined for PostgreSQL too, each after its owner', () => {
    expect(tsqueryOf('hello', 'u1')).toBe("'u1hell' & 'u1ello'")
    expect(tsqueryOf('hel', 'u1')).toBe("'u1hel':*")
    expect(tsqueryOf(`'\\`, 'u1')).toBe(`'u1''\\\\':*`)
  })

  it('match words of up to four characters exactly', () => {
    expect([isExact('hell'), isExact('hello')]).toEqual([true, false])
  })
})
