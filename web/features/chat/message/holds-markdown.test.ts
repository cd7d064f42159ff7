import { expect, test } from 'vitest'
import { holdsMarkdown } from './typed-content.tsx'

test.each([
  '```\ncode\n```',
  'Why?\n\n```ts\nlet a = 1\n',
  '~~~ text\ncode\n~~~',
  'Buy:\n- milk\n- eggs',
  '* one\r\n* two',
  '1. one\n2. two',
  '1) one\n\n1) two',
  '| a | b |\n|---|:-:|\n| 1 | 2 |',
  'a | b\n-|-\n1 | 2',
])('finds a code fence, a list or a table in %j (§1.3)', (text) => {
  expect(holdsMarkdown(text)).toBe(true)
})

test.each([
  '',
  'A plain **text** with _stars_ and `code`.',
  '# not a heading\n\n> said',
  '- only one entry',
  '2024. A good year',
  '-1\n-2',
  '``` in one line ```',
  'a || b\nc',
  '---\n---',
  '    - indented\n    - code',
])('finds none in %j', (text) => {
  expect(holdsMarkdown(text)).toBe(false)
})
