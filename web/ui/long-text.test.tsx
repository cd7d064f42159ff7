import { render } from '@testing-library/react'
import { expect, it, test } from 'vitest'
import { hasLongLine, LongText, maxLineChars, splitLongText } from './long-text.tsx'
import { MarkdownBody } from './markdown/markdown-body.tsx'

const million = 'abcdefghi+'.repeat(100_000)

/** The length of the longest text node of an element. */
function longestNode(element: Element): number {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let longest = 0
  while (walker.nextNode()) longest = Math.max(longest, walker.currentNode.nodeValue?.length ?? 0)
  return longest
}

it.each([
  ['nothing', ''],
  ['a text of short lines', 'A line.\n'.repeat(6000)],
  ['a line that is just not too long', 'a'.repeat(maxLineChars)],
])('does not split %s', (_name, text) => {
  expect(hasLongLine(text)).toBe(false)
  expect(splitLongText(text)).toEqual([text])
})

it.each([
  ['a million characters', million],
  ['a long line between short ones', `Before\n\n${million.slice(0, 20_001)}\n\n\nAfter\n`],
  ['many short lines and a long one', `${'A line.\n'.repeat(3000)}${'b'.repeat(maxLineChars + 1)}`],
  ['emoji', '👩🏽‍🚀'.repeat(3000)],
  ['a letter with endless accents', `e${'\u0301'.repeat(12_000)}`],
])('splits %s into pieces without losing a character', (_name, text) => {
  const pieces = splitLongText(text)
  expect(hasLongLine(text)).toBe(true)
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.join('')).toBe(text)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(maxLineChars)
})

test('a piece ends after a line, else after a word, else between two characters', () => {
  const words = splitLongText('three little words '.repeat(1000))
  expect(words.slice(0, -1).every((piece) => piece.endsWith(' '))).toBe(true)
  const lines = splitLongText(`${'A line.\n'.repeat(2000)}${million}`)
  expect(lines[0]?.endsWith('A line.\n')).toBe(true)
  const emoji = splitLongText('👩🏽‍🚀'.repeat(3000))
  expect(emoji.every((piece) => piece.length % '👩🏽‍🚀'.length === 0)).toBe(true)
})

test('only the last pieces of a growing text are drawn again', () => {
  let drawn = 0
  const draw = (piece: string) => {
    drawn += 1
    return piece
  }
  const { rerender } = render(<LongText text={million} draw={draw} />)
  drawn = 0
  rerender(<LongText text={`${million}and more`} draw={draw} />)
  expect(drawn).toBeLessThanOrEqual(2)
})

it.each([
  ['a text', <LongText key="a" text={`First\n\n${million}`} />, `First\n\n${million}`],
  ['a reply', <MarkdownBody key="b" text={million} growing={false} />, million],
  ['a reply that is being written', <MarkdownBody key="c" text={million} growing />, million],
])('draws %s in short text nodes, completely', (_name, element, text) => {
  const { container } = render(element)
  expect(longestNode(container)).toBeLessThanOrEqual(maxLineChars)
  expect(container.textContent).toBe(text)
})

test('draws a long text with short lines in pieces, too, and loses nothing', () => {
  const text = 'a line\n'.repeat(10_000)
  expect(splitLongText(text.slice(0, 50_000))).toHaveLength(1)
  const pieces = splitLongText(text)
  expect(pieces.length).toBeGreaterThan(10)
  expect(pieces.every((piece) => piece.endsWith('\n') && piece.length <= maxLineChars)).toBe(true)
  expect(pieces.join('')).toBe(text)
})
