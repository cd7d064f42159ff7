import { describe, expect, it } from 'vitest'
import { excerptOf } from './excerpt.ts'
import { foldWords } from './fold-text.ts'

describe('an excerpt', () => {
  const excerpt = (text: string, search: string, maxChars = 50) =>
    excerptOf(text, foldWords(search), maxChars)
  const filler = 'words that nobody has asked for '.repeat(20)

  it('is cut around the first match, begins with a word and says where it was cut', () => {
    expect(excerpt(`${filler}to take the 9:40 ferry from Saltholmen. ${filler}`, 'FERRY')).toBe(
      '…take the 9:40 ferry from Saltholmen. words that no…',
    )
    expect(excerpt(`The ferry leaves. ${filler}`, 'ferry')).toBe(
      'The ferry leaves. words that nobody has asked for…',
    )
    expect(excerpt(`${filler}and the ferry`, 'ferry')).toBe(
      '…for words that nobody has asked for and the ferry',
    )
    expect(excerpt('A short\n\n text', 'short')).toBe('A short text')
  })

  it('prefers the place where most of the words are together', () => {
    expect(excerpt(`The ferry. ${filler} the ferry to Iceland, ${filler}`, 'iceland ferry')).toContain(
      'ferry to Iceland',
    )
  })

  it('cuts no character, and finds words as the search compares them', () => {
    const family = '👩‍👩‍👧‍👦'
    expect(excerpt(`${family.repeat(60)}Cafe\u0301${family.repeat(60)}`, 'CAFÉ', 8)).toBe(
      `…${family.repeat(2)}Cafe\u0301${family.repeat(2)}…`,
    )
    expect(excerpt(`${'今天天气很好'.repeat(30)}雪${'今天天气很好'.repeat(30)}`, '雪', 8)).toBe(
      '…很好雪今天天气很…',
    )
    expect(excerpt(filler, 'absent', 10)).toBe('words that…')
  })
})
