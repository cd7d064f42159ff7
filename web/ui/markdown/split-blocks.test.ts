import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBlockSplitter } from './split-blocks.ts'

const pieces = [
  'word',
  ' ',
  '\n',
  '\n\n',
  '\r\n',
  '# ',
  '- ',
  '1. ',
  '2',
  '.',
  '* ',
  '> ',
  '```',
  '```ts\n',
  '~~~',
  '    ',
  '  ',
  '|a|b|\n|-|-|\n',
  '|c|d|\n',
  '===\n',
  '---\n',
  '[a]: http://a.example\n',
  '[a]',
  '<div>\n',
  '</div>\n',
  '<!-- ',
  '-->\n',
  '**b**',
  '\t',
  '- [ ] ',
  '$$\n',
  '\\[\n',
  '\\]\n',
  '`',
  '\\',
]

test('splits a text into the same blocks whether it comes at once or in chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (parts) => {
      const text = parts.join('')
      const whole = createBlockSplitter()(text)
      const cut = createBlockSplitter()
      let grown = createBlockSplitter()('')
      for (let end = 1; end <= text.length; end += 1) grown = cut(text.slice(0, end))
      expect(grown).toEqual(whole)
    }),
    { numRuns: 1500 },
  )
})

test('keeps finished blocks as they are while the end grows', () => {
  const cut = createBlockSplitter()
  const before = cut('# Title\n\nFirst.\n\nSecond\n')
  const after = cut('# Title\n\nFirst.\n\nSecond\ngrows')
  expect(after.blocks[0]).toBe(before.blocks[0])
  expect(after.blocks[1]).toBe(before.blocks[1])
  expect(after.definitions).toBe(before.definitions)
  expect(after.blocks[2]).toEqual({ kind: 'text', key: 2, source: 'Second\ngrows' })
})

test('keeps a list open until its next line is complete, since "2" may become "2."', () => {
  const cut = createBlockSplitter()
  expect(cut('1. one\n\n2').blocks).toHaveLength(2)
  expect(cut('1. one\n\n2. two').blocks).toHaveLength(1)
})

test('recognizes the end of a fence, and leaves its first characters out of the code', () => {
  const cut = createBlockSplitter()
  expect(cut('```ts\nlet a\n``').blocks).toEqual([
    { kind: 'code', key: 0, language: 'ts', code: 'let a', closed: false },
  ])
  expect(cut('```ts\nlet a\n```').blocks).toEqual([
    { kind: 'code', key: 0, language: 'ts', code: 'let a', closed: true },
  ])
})

test('starts again when the text does not continue the previous one', () => {
  const cut = createBlockSplitter()
  cut('One.\n\nTwo.\n\nThree.')
  expect(cut('Other').blocks).toEqual([{ kind: 'text', key: 0, source: 'Other' }])
})

test('returns one block for nesting that exceeds the call stack', () => {
  const text = '>'.repeat(10_000) + 'a'
  expect(createBlockSplitter()(text).blocks).toEqual([{ kind: 'text', key: 0, source: text }])
})

test('keeps lines of maths in one block, even if they resemble markdown', () => {
  const source = '$$\na\n\n- b\n+ c\n$$\n'
  const blocks = createBlockSplitter()(`Before\n${source}\nAfter`).blocks
  expect(blocks.map((block) => (block.kind === 'text' ? block.source.trim() : ''))).toEqual([
    'Before',
    source.trim(),
    'After',
  ])
})
