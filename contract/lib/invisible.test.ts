import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findInvisible, hasInvisible, removeInvisible } from './invisible.ts'

/** `Default_Ignorable_Code_Point` in DerivedCoreProperties.txt of Unicode 16. */
const defaultIgnorable = ranges(
  '00AD 034F 061C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF FFA0 FFF0-FFF8',
  '1BCA0-1BCA3 1D173-1D17A E0000-E0FFF',
)
/**
 * `Cc`, `Cf`, `Zl` and `Zp` in UnicodeData.txt of Unicode 16 that are not in the list above, except tab and line feed.
 */
const controls = ranges('0000-0008 000B-001F 007F-009F 2028-2029 FFF9-FFFB 13430-1343F')
const privateUse = ranges('E000-F8FF F0000-FFFFD 100000-10FFFD')
const surrogates = ranges('D800-DFFF')
const noncharacters = [
  ...ranges('FDD0-FDEF'),
  ...Array.from({ length: 17 }, (_, plane) => [plane * 0x10000 + 0xfffe, plane * 0x10000 + 0xffff]).flat(),
]
const blankGlyphs = ranges('2800 FFFC 13441-13442 16FE4 2D7F 1107F 1D159')

function ranges(...lines: readonly string[]): readonly number[] {
  return lines
    .flatMap((line) => line.split(' '))
    .flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map((code) => Number.parseInt(code, 16))
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
}

const expected = new Set(
  [defaultIgnorable, controls, privateUse, surrogates, noncharacters, blankGlyphs].flat(),
)
const planes = Array.from({ length: 17 }, (_, plane) => plane)

it.each(planes)('finds in plane %i exactly the code points without a visible glyph', (plane) => {
  const wrong: string[] = []
  for (let code = plane * 0x10000; code < (plane + 1) * 0x10000; code++) {
    const character = String.fromCodePoint(code)
    // Unassigned code points differ between versions of Unicode.
    const isExpected = expected.has(code) || /\p{Cn}/u.test(character)
    if (hasInvisible(character) !== isExpected) wrong.push(code.toString(16))
  }
  expect(wrong).toEqual([])
})

describe('text that needs such characters', () => {
  it.each([
    ['a heart in emoji style', '❤\uFE0F'],
    ['a heart in text style', '❤\uFE0E'],
    ['a keycap', '1\uFE0F\u20E3'],
    ['a family', '👩\u200D👩\u200D👧\u200D👦'],
    ['skin tones in a sequence', '👩🏽\u200D🤝\u200D👨🏿'],
    ['a rainbow flag', '🏳\uFE0F\u200D🌈'],
    ['the flag of Scotland', '🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}'],
    ['Persian with ZWNJ', 'می\u200Cخواهم'],
    ['Arabic with ZWJ at the end of a word', 'ه\u200D ق'],
    ['Hindi with ZWJ', 'क्\u200Dष'],
    ['Marathi with ZWJ before a space', 'र्\u200D '],
    ['Kannada with ZWNJ at the end of a word', 'ಕ್\u200C'],
    ['Sinhala with ZWJ', 'ශ්\u200Dරී'],
    ['Malayalam with a chillu', 'ന്\u200D'],
    ['Bengali with ZWJ', 'র\u200D্য'],
    ['Mongolian with variation and vowel separators', 'ᠨ\u180Bᠠ ᠨ\u180Eᠠ'],
    ['modern Hangul, composed and decomposed', '한글 \u1112\u1161\u11AB'],
    ['old Hangul without a consonant', '\u115F\u1161'],
    ['old Hangul without a vowel', '\u1112\u1160\u11AB'],
    ['Khmer with U+200B between words', 'ខ្ញុំ\u200Bទៅ'],
    ['braille with blanks', '⠓⠊\u2800⠽⠕⠥'],
    ['Arabic number signs', '\u0600١٢ \u06DD'],
    ['white space of every width', 'a\u00A0b\u2003c\u202Fd\u3000e'],
    ['line ends of Windows', 'a\r\nb\tc'],
  ])('keeps %s', (_, text) => {
    expect(findInvisible(text)).toEqual([])
    expect(removeInvisible(text)).toBe(text)
  })

  it.each([
    ['tags after a black flag that are no flag', '🏴\u{E0061}\u{E0062}\u{E0063}\u{E007F}', '🏴'],
    ['a second selector', '❤\uFE0F\uFE0F', '❤\uFE0F'],
    ['two joiners in a row', 'می\u200C\u200Cخ', 'میخ'],
    ['a joiner after the last emoji', '👩\u200D', '👩'],
    ['joiners in Latin text', 'a\u200Cb\u200Dc', 'abc'],
    ['joiners beside marks of direction', '\u061C\u200C\u061C', ''],
    [
      'joiners after accents of Latin text',
      'a\u0302\u200Db\u0308\u200Cc\u030A\u200C\u0301',
      'a\u0302b\u0308c\u030A\u0301',
    ],
    ['spaces without width between accents', 'e\u0301\u200B\u0308\u200B\u02BC', 'e\u0301\u0308\u02BC'],
    ['ZWNJ at the end of a word without a virama', 'कि\u200C ', 'कि '],
    ['selectors after letters', 'a\uFE0Fb\u{E0101}', 'ab'],
    ['selectors after ideographs', '葛\u{E0100}', '葛'],
    ['fillers without a syllable', '\u115F\u1160\u3164\uFFA0', ''],
    ['a selector that follows another', 'ᠨ\u180B\u180C\u180Dᠠ', 'ᠨᠠ'],
  ])('removes %s', (_, text, cleaned) => {
    expect(removeInvisible(text)).toBe(cleaned)
  })
})

it('replaces what separates lines, blank patterns, and what no font draws', () => {
  expect(removeInvisible('a\u2028b\u2029c\fd\re')).toBe('a\nb\nc\nd\ne')
  expect(removeInvisible('a\u200B\r\nb')).toBe('a\r\nb')
  expect(removeInvisible('a\u2800b')).toBe('a b')
  expect(removeInvisible('a\uE000\u0378\u{10FFFF}b')).toBe('a\uFFFD\uFFFD\uFFFDb')
})

describe('any text', () => {
  const parts = [
    ...defaultIgnorable.slice(0, 60),
    ...controls,
    ...blankGlyphs,
    0xe000,
    0x0378,
    0xe0067,
    0xe007f,
  ]
  const visible = [
    'a',
    ' ',
    '\n',
    '❤',
    '👩',
    '🏽',
    '1',
    '\u20E3',
    '🏴',
    'م',
    'क',
    '्',
    'ᠨ',
    '\u1112',
    '\u1161',
    '⠓',
    '葛',
  ]
  const text = fc
    .array(
      fc.oneof(
        fc.constantFrom(...visible),
        fc.constantFrom(...parts.map((code) => String.fromCodePoint(code))),
      ),
    )
    .map((all) => all.join(''))

  it('is not changed by cleaning it a second time', () => {
    fc.assert(
      fc.property(text, (given) => {
        const cleaned = removeInvisible(given)
        expect(findInvisible(cleaned)).toEqual([])
        expect(removeInvisible(cleaned)).toBe(cleaned)
      }),
    )
  })

  it('keeps its visible characters, in their order', () => {
    const visibleOf = (given: string) =>
      Array.from(given).filter((character) => !hasInvisible(character) && !/[\s\uFFFD]/.test(character))
    fc.assert(
      fc.property(text, (given) => {
        expect(visibleOf(removeInvisible(given))).toEqual(visibleOf(given))
      }),
    )
  })

  /** Characters after which sequences keep invisible ones, each with some of those. */
  const keeping = ['a', '❤', 'م', '्', 'ᠨ', '\u1112', 'ก', 'ⴰ']
  const kept = ['\u200B', '\u200C', '\u200D', '\uFE0F', '\u180B', '\u180E', '\u1160', '\u2D7F', '\u{1107F}']
  const denseText = fc
    .array(
      fc.tuple(
        fc.constantFrom(...keeping),
        fc.array(fc.constantFrom(...kept), { maxLength: 3 }).map((all) => all.join('')),
      ),
    )
    .map((all) => all.flat().join(''))

  it('carries one invisible character at most between two visible ones, except in emoji and Mongolian', () => {
    const two = /^(?:[\uFE0E\uFE0F]\u200D|[\u180B-\u180D\u180F]\u180E)$/
    fc.assert(
      fc.property(fc.oneof(text, denseText), (given) => {
        // A filler begins a syllable, and a carriage return ends a line.
        const cleaned = removeInvisible(given)
          .replaceAll(/🏴[\u{E0061}-\u{E007F}]+/gu, 'x')
          .replaceAll(/[\u115F\r\u2800]/g, 'x')
        const hidden = Array.from(cleaned, (one) => (hasInvisible(one) ? one : '\n')).join('')
        expect(hidden.split('\n').filter((run) => Array.from(run).length > 1 && !two.test(run))).toEqual([])
      }),
      { numRuns: 4_000 },
    )
  })
})
