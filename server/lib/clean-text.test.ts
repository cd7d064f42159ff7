import { expect, it } from 'vitest'
import { cleanText } from './clean-text.ts'

it.each([
  ['tag characters', 'a\u{E0041}b', 'ab'],
  ['overrides of the direction', 'a\u202Eb\u2066c', 'abc'],
  ['nothing of visible text', 'a\u00E9 \u{1F600}', 'a\u00E9 \u{1F600}'],
  ['NUL, as every text from outside', 'a\0b', 'a\uFFFDb'],
])('removes %s', (_, text, cleaned) => {
  expect(cleanText(text)).toBe(cleaned)
})
