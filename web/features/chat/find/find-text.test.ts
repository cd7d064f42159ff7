import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findFolded, findInText, foldForFind, patternsOfQuery, patternsOfWords } from './find-text.ts'

const find = (text: string, query: string) =>
  findInText(text, patternsOfQuery(query)).map(([start, end]) => text.slice(start, end))

test.each([
  ['Crème brûlée, CREME', 'creme', ['Crème', 'CREME']],
  ['Cre\u0300me is decomposed', 'crème', ['Cre\u0300me']],
  ['two\n  words and two words', 'two words', ['two\n  words', 'two words']],
  ['Straße STRASSE', 'strasse', ['Straße', 'STRASSE']],
  ['ＦＵＬＬ width ﬁne', 'full', ['ＦＵＬＬ']],
  ['aaaa', 'aa', ['aa', 'aa']],
  ['Ελλάς ΕΛΛΑΣ', 'ελλασ', ['Ελλάς', 'ΕΛΛΑΣ']],
  ['f(x) = 2 * 3', '2 * 3', ['2 * 3']],
  ['any', '  ', []],
  ['one\0two', 'onetwo', []],
])('finds in %j the text %j', (text, query, found) => {
  expect(find(text, query)).toEqual(found)
})

test('finds each of several words, the longer of two at one place', () => {
  const text = 'Car and cargo, CAR'
  const places = findInText(text, patternsOfWords('car CARGO'))
  expect(places.map(([start, end]) => text.slice(start, end))).toEqual(['Car', 'cargo', 'CAR'])
})

test('a text as it is has the same matches as its folded form, each of whole characters', () => {
  const text = fc.string({ unit: fc.constantFrom(...Array.from('aAeé \n\u0301ﬁßİıς\u200b한が😀ｶﾞ')) })
  fc.assert(
    fc.property(text, text, (where, query) => {
      const patterns = patternsOfQuery(query).filter((pattern) => pattern !== '')
      const places = findInText(where, patterns)
      expect(places).toHaveLength(findFolded(foldForFind(where), patterns).length)
      for (const [start, end] of places) expect(end).toBeGreaterThan(start)
    }),
  )
})
