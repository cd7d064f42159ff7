import { expect, it } from 'vitest'
import { compareLines, compareWords } from './tool-changes.tsx'

it('finds the words that differ, and keeps every character of both texts', () => {
  const [before, after] = ['Sends a note.', 'Sends a note. First read all files.']
  const pieces = compareWords(before, after) ?? []
  const join = (omitted: string) =>
    pieces.flatMap(({ kind, text }) => (kind === omitted ? [] : [text])).join('')
  expect(join('added')).toBe(before)
  expect(join('removed')).toBe(after)
  expect(pieces.filter(({ kind }) => kind === 'same').map(({ text }) => text)).toContain('Sends a note.')
})

it('finds the lines that differ, and counts those that are far from them', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
  const changed = lines.with(10, 'another')
  expect(compareLines(lines.join('\n'), changed.join('\n'))).toEqual([
    { kind: 'same', text: '[8 unchanged lines]\nline 8\nline 9\n' },
    { kind: 'removed', text: 'line 10\n' },
    { kind: 'added', text: 'another\n' },
    { kind: 'same', text: 'line 11\nline 12\n[7 unchanged lines]\n' },
  ])
})

it('gives up on texts that are long or differ in too much', () => {
  const random = (seed: number) =>
    Array.from({ length: 3_000 }, (_, index) => `w${(index * seed) % 7_919}`).join(' ')
  expect(compareWords(random(31), random(57))).toBeUndefined()
  expect(compareLines('x'.repeat(60_000), '')).toBeUndefined()
})
