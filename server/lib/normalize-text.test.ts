import fc from 'fast-check'
import { expect, it } from 'vitest'
import { normalizeText } from './normalize-text.ts'

it('leaves good text as it is, in any script', () => {
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

it('gives what every store can hold, at the same length, and is done after once', () => {
  const anything = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units))
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
