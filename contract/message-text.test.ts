import { describe, expect, it } from 'vitest'
import {
  cutText,
  deriveTitle,
  filesOfContent,
  maxTitleSourceChars,
  textOfContent,
  toContent,
} from './message-text.ts'

it('joins the texts of content parts (§3.7)', () => {
  expect(textOfContent('Hello')).toBe('Hello')
  expect(textOfContent([{ text: 'Hel' }, { type: 'image' }, { text: 'lo' }])).toBe('Hello')
})

it('is a text without files, and else a list of parts', () => {
  const file = { id: 'f1', name: 'cat.png', type: 'image/png', size: 3 }
  const part = { type: 'file', file }
  expect(toContent('Hello', [])).toBe('Hello')
  expect(toContent('', [file])).toEqual([part])
  const content = toContent('Hello', [file])
  expect(content).toEqual([{ type: 'text', text: 'Hello' }, part])
  expect([textOfContent(content), filesOfContent(content)]).toEqual(['Hello', [file]])
})

describe('a cut text', () => {
  it('has at most the given number of characters, and reports whether it was cut', () => {
    expect(cutText('abcd', 4)).toEqual({ text: 'abcd', isCut: false })
    expect(cutText('abcde', 4)).toEqual({ text: 'abcd', isCut: true })
  })

  it('counts an emoji and an accented letter as one character', () => {
    const family = '👩‍👩‍👧‍👦'
    expect(cutText(family.repeat(4), 4)).toEqual({ text: family.repeat(4), isCut: false })
    expect(cutText(family.repeat(5), 4)).toEqual({ text: family.repeat(4), isCut: true })
    expect(cutText('é'.repeat(5), 4).text).toBe('é'.repeat(4))
  })
})

describe('a title', () => {
  it('is the beginning of the text on one line', () => {
    expect(deriveTitle(' Two\n\n lines  here ', 9)).toEqual({ text: 'Two lines', isCut: true })
    expect(deriveTitle(' Two\n\n lines ', 9)).toEqual({ text: 'Two lines', isCut: false })
    expect(deriveTitle('', 9)).toEqual({ text: '', isCut: false })
  })

  it('is derived from the beginning of a long text only', () => {
    expect(deriveTitle(`${' '.repeat(maxTitleSourceChars)}late`, 9).text).toBe('')
  })
})
