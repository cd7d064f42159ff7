import { hostileShapes } from '@yonder/contract/testing/hostile-texts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { costOf, maxStepCost } from './drawing-cost.ts'
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

test.each([
  ['', undefined],
  [', also if it costs too much', 500],
])('splits a text into the same blocks whether it comes at once or in chunks%s', (_, maxCost) => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...pieces), { maxLength: maxCost === undefined ? 40 : 90 }),
      (parts) => {
        const text = parts.join('')
        const whole = createBlockSplitter(maxCost)(text)
        const cut = createBlockSplitter(maxCost)
        let grown = createBlockSplitter(maxCost)('')
        for (let end = 1; end <= text.length; end += 1) grown = cut(text.slice(0, end))
        expect(grown).toEqual(whole)
      },
    ),
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
  expect(createBlockSplitter()(text).blocks).toEqual([{ kind: 'plain', key: 0, source: text }])
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

const listSources = (text: string) =>
  createBlockSplitter()(text).blocks.map((block) => [
    block.kind,
    block.kind === 'code' ? block.code : block.source,
  ])

test.each(Object.entries(hostileShapes))('gives the parser blocks of a limited cost: %s', (_, shape) => {
  const costs = createBlockSplitter()(shape(12_000)).blocks.map((block) =>
    block.kind === 'text' ? costOf(block.source.trimEnd()) : 0,
  )
  expect(Math.max(0, ...costs)).toBeLessThanOrEqual(2.5 * maxStepCost)
})

test('divides a long list between its items, and keeps their numbers', () => {
  const items = Array.from({ length: 1000 }, (_, index) => `${index + 1}. An item of the list`)
  const blocks = listSources(items.join('\n'))
  expect(blocks.length).toBeGreaterThan(1)
  expect(blocks.every(([kind, source]) => kind === 'text' && /^\d+\. An item/.test(source ?? ''))).toBe(true)
  expect(blocks.map(([, source]) => source?.trim()).join('\n')).toBe(items.join('\n'))
})

test('divides a long table between its rows, and repeats its head', () => {
  const head = '| name | value |\n|---|---|\n'
  const rows = Array.from({ length: 1000 }, (_, index) => `| ${index} | a |\n`)
  const blocks = listSources(head + rows.join('') + '\nThe end.')
  expect(blocks.pop()).toEqual(['text', 'The end.'])
  expect(blocks.length).toBeGreaterThan(1)
  expect(blocks.every(([kind, source]) => kind === 'text' && source?.startsWith(head))).toBe(true)
  expect(
    blocks
      .map(([, source]) => source?.slice(head.length))
      .join('')
      .trim(),
  ).toBe(rows.join('').trim())
})

test.each([
  ['a long line', `${'[a '.repeat(20_000)}\n`],
  ['a long paragraph', '*a **b\n'.repeat(5000)],
  ['a long item', `- ${'a\n'.repeat(5000)}`],
  ['a table whose head is long', `${'|a'.repeat(5000)}|\n${'|-'.repeat(5000)}|\n${'|b\n'.repeat(5000)}`],
])('shows what cannot be divided as plain text, and loses nothing: %s', (_, text) => {
  const blocks = listSources(`Before.\n\n${text}\nAfter.`)
  expect(blocks[0]).toEqual(['text', 'Before.'])
  expect(blocks[1]?.[0]).toBe('plain')
  expect(blocks.map(([, source]) => source?.trim()).join('\n')).toBe(`Before.\n${text.trim()}\nAfter.`)
})

test('keeps long code one block', () => {
  const code = 'let a = [1] // *b*\n'.repeat(5000)
  expect(listSources(`Code:\n\n\`\`\`js\n${code}\`\`\`\n\nAfter.`)).toEqual([
    ['text', 'Code:'],
    ['code', code.trimEnd()],
    ['text', 'After.'],
  ])
})
