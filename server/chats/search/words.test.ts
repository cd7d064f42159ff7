import { describe, expect, it } from 'vitest'
import { askForWord, cutGrams, isExact } from './words.ts'

describe('grams', () => {
  it('are all fours within words, and their ends, each once', () => {
    expect(cutGrams('hello  hell')).toBe('hell ello llo lo o ell ll l')
    expect(cutGrams('天气\n👩‍👧')).toBe('天气 气 👩‍👧 ‍👧 👧')
    expect(cutGrams(' \n')).toBe('')
  })

  it('are asked for together, or by their beginning', () => {
    expect(askForWord('hello')).toBe('"hell" AND "ello"')
    expect(askForWord('hel')).toBe('"hel" *')
    expect(askForWord('a"b')).toBe('"a""b" *')
    expect(askForWord('aaaaaa')).toBe('"aaaa"')
  })

  it('tell short words for certain', () => {
    expect([isExact('hell'), isExact('hello')]).toEqual([true, false])
  })
})
