import { describe, expect, it } from 'vitest'
import { sameWords } from '../testing/same-words.ts'
import { findWords, foldText, foldWords, matchesSearch } from './fold-text.ts'

describe('a folded text', () => {
  it.each(sameWords)('is the same for %j and %j', (one, other) => {
    expect(foldText(one)).toBe(foldText(other))
    expect(matchesSearch(other)(`so ${one}, yes`)).toBe(true)
  })

  it.each([
    ['résumé', 'resume'],
    ['が', 'か'],
    ['日', '曰'],
    ['א', 'ב'],
  ])('differs for %j and %j, which are different letters', (one, other) => {
    expect(foldText(one)).not.toBe(foldText(other))
  })

  it('stays as it is when it is folded again', () => {
    for (const text of sameWords.flat()) expect(foldText(foldText(text))).toBe(foldText(text))
  })
})

describe('words in a text', () => {
  const found = (text: string, search: string) =>
    findWords(text, foldWords(search)).map(({ start, end }) => text.slice(start, end))

  it.each([
    ['Cafe\u0301 und CAFÉ', 'café', ['Cafe\u0301', 'CAFÉ']],
    ['Straße und STRASSE', 'strasse', ['Straße', 'STRASSE']],
    ['Straße', 's', ['S', 'ß']],
    ['Ｙｏｎｄｅｒ yonder', 'YONDER', ['Ｙｏｎｄｅｒ', 'yonder']],
    ['ｶﾞｲﾄﾞ', 'ガイド', ['ｶﾞｲﾄﾞ']],
    ['soft\u00adware', 'software', ['soft\u00adware']],
    ['aab', 'a aa', ['aa']],
    ['ﬁ', 'f i', ['ﬁ']],
    ['nothing', '', []],
  ])('are found in %j for %j', (text, search, places) => {
    expect(found(text, search)).toEqual(places)
  })
})
