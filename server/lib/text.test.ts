import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText, collapseSpaces, cutWithNote, normalizeText } from './text.ts'

describe('normalizeText', () => {
  it('keeps valid text in any script', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('\0'))
        expect(normalizeText(text)).toBe(text)
      }),
    )
  })

  it.each([
    ['NUL', 'a\0b', 'a\uFFFDb'],
    ['a high half alone', 'a\uD83Db', 'a\uFFFDb'],
    ['a low half alone', '\uDE80', '\uFFFD'],
    ['halves in the wrong order', '\uDE80\uD83D', '\uFFFD\uFFFD'],
    ['both at once', '\0\uD83D', '\uFFFD\uFFFD'],
  ])('replaces %s', (_, text, expected) => {
    expect(normalizeText(text)).toBe(expected)
  })

  it('returns text of the same length that every store can hold, and changes nothing the second time', () => {
    const anything = fc
      .array(fc.integer({ min: 0, max: 0xffff }))
      .map((units) => String.fromCharCode(...units))
    fc.assert(
      fc.property(anything, (text) => {
        const normal = normalizeText(text)
        expect(normal.isWellFormed()).toBe(true)
        expect(normal).not.toContain('\0')
        expect(normal).toHaveLength(text.length)
        expect(normalizeText(normal)).toBe(normal)
        expect(new TextDecoder().decode(new TextEncoder().encode(normal))).toBe(normal.replace(/^\uFEFF/, ''))
      }),
    )
  })
})

describe('cleanText', () => {
  it.each([
    ['tag characters', 'a\u{E0041}b', 'ab'],
    ['overrides of the direction', 'a\u202Eb\u2066c', 'abc'],
    ['nothing of visible text', 'a\u00E9 \u{1F600}', 'a\u00E9 \u{1F600}'],
    ['NUL, like every text from outside', 'a\0b', 'a\uFFFDb'],
  ])('removes %s', (_, text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned)
  })
})

it('cuts a long text between two characters and states how many were left out', () => {
  expect(cutWithNote('short', 5)).toBe('short')
  expect(cutWithNote(`a\u{1F600}${'b'.repeat(1_000)}`, 2)).toBe(
    'a\uFFFD\n[1,001 further characters were left out.]',
  )
})

it('collapses spaces and line breaks', () => {
  expect(collapseSpaces(' one\r\n\ttwo  three ')).toBe('one two three')
})
