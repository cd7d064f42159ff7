import { expect, it } from 'vitest'
import { joinLine } from './text-direction.ts'

/** Pieces as Chromium draws them, from the left, each as wide as its text. */
function fromLeft(...texts: readonly string[]) {
  return texts.map((text, index) => ({
    text,
    isRightToLeft: /[\u0590-\u06ff]/.test(text),
    left: texts.slice(0, index).join('').length,
  }))
}

it('turns a line around that is drawn from the left', () => {
  expect(joinLine(fromLeft('קצר', ' ', 'מסמך', ' ', 'זהו'))).toBe('זהו מסמך קצר')
  expect(joinLine(fromLeft('م', 'ا', 'ل', 'س', '.'))).toBe('.سلام')
})

it('keeps the order of the other words in it', () => {
  expect(joinLine(fromLeft('האחרונה', ' ', 'two', ' ', 'words', ' ', '12', ' ', 'ההתחלה'))).toBe(
    'ההתחלה two words 12 האחרונה',
  )
})

it('turns only the words around in a line of another language', () => {
  expect(joinLine(fromLeft('The text ', 'עולם', ' ', 'שלום', ' means hello, world'))).toBe(
    'The text שלום עולם means hello, world',
  )
})

it('keeps a line as it is that is drawn from the right, or has no such words', () => {
  const pieces = fromLeft('זהו', ' ', 'מסמך')
  expect(joinLine(pieces.map((piece) => ({ ...piece, left: -piece.left })))).toBe('זהו מסמך')
  expect(joinLine(fromLeft('one', ' ', 'two'))).toBe('one two')
})
