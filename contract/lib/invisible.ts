/**
 * The one definition of the characters that a user cannot see. The server removes them from what models read of tools,
 * and refuses them in names of tools; the browser shows them by number.
 *
 * Unicode's own properties define most of them: what is ignorable by default (variation selectors, joiners, fillers,
 * tags, direction marks), format characters, controls except tab and line feed, line and paragraph separators, and code
 * points that no font draws (private use, unassigned, halves of surrogate pairs). A list adds the few that have a glyph
 * without ink. White space (`Zs`) does not count, because it is seen as a gap, nor does a carriage return before a line
 * feed.
 */
const unicodeProperties = String.raw`\p{DI}\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}`

/**
 * The blank braille pattern, the object replacement, blanks and joiners of Egyptian, Khitan, Tifinagh, Brahmi, music.
 */
const blankGlyphs = String.raw`\u2800\uFFFC\u{13441}\u{13442}\u{16FE4}\u2D7F\u{1107F}\u{1D159}`

/** Line feeds, tabs, and signs that Unicode counts as format characters although they are drawn. */
const drawn = String.raw`\t\n\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}`

const invisible = String.raw`(?![${drawn}])[${unicodeProperties}${blankGlyphs}]`

/** Only the flags of England, Scotland and Wales. Other tags after a black flag draw nothing. */
const tagFlag = String.raw`\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}`
const pictograph = String.raw`(?!\p{Cn})\p{Extended_Pictographic}(?:\uFE0F?\p{Emoji_Modifier}|[\uFE0E\uFE0F])?`

/** A letter or mark of a script whose letters change their form by joiners. */
const joining = scriptClass(
  ['Arab', 'Syrc', 'Mand', 'Nkoo', 'Mong', 'Phag', 'Adlm', 'Rohg', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya'],
  ['Taml', 'Telu', 'Knda', 'Mlym', 'Sinh', 'Khmr', 'Mymr', 'Tibt', 'Java', 'Bali', 'Newa', 'Cakm', 'Gran'],
  ['Brah', 'Tfng'],
)
/** A letter or mark of a script that is written without spaces and may mark the ends of words by U+200B. */
const unspaced = scriptClass(['Thai', 'Laoo', 'Khmr', 'Mymr', 'Tale', 'Talu', 'Lana', 'Tibt'])
const mongolian = scriptClass(['Mong'])
/** The marks of the joining scripts that suppress a vowel, such as viramas: those of combining class 9. */
const virama = String.raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA\u0F84\u1039\u103A\u17D2\u1B44\uA9C0\u{11046}\u{11070}\u{11133}\u{11134}\u{1134D}\u{11442}]`

const hangulFiller = String.raw`\u115F(?=[\u1161-\u11A7\uD7B0-\uD7C6])`

/**
 * Sequences in which invisible characters change what is drawn, so they are kept: after a drawn character at most one,
 * but after an emoji two (a style and a joiner), after a Mongolian letter two (a form and a separator), and the six
 * tags of a flag. Blanks between or after braille patterns are all kept, because they are seen as gaps.
 */
const visibleSequences = [
  String.raw`\r\n`,
  tagFlag,
  String.raw`${pictograph}(?:\u200D${pictograph})*`,
  String.raw`[0-9#*]\uFE0F\u20E3`,
  String.raw`[\u2801-\u28FF][\u2800-\u28FF]*`,
  // At the end of a word, ZWJ changes the form of any joining letter, and ZWNJ only that of a virama.
  String.raw`(?<=${joining})(?:\u200D(?!${invisible})|[\u200C\u2D7F\u{1107F}](?=${joining}))`,
  String.raw`(?<=${virama})\u200C(?!${invisible})`,
  String.raw`(?<=${mongolian})(?:[\u180B-\u180D\u180F]?\u180E(?=${mongolian})|[\u180B-\u180D\u180F](?!${invisible}))`,
  String.raw`(?<=${unspaced})\u200B(?=${unspaced})`,
  // Old Hangul: a syllable that lacks its first consonant or its vowel.
  hangulFiller,
  String.raw`(?<=[\u1100-\u115E\uA960-\uA97C])\u1160(?!${invisible})`,
]

const anyInvisible = new RegExp(invisible, 'u')
const allInvisible = new RegExp(invisible, 'gu')
/** What ends a run of invisible characters. */
const endOfRun = String.raw`${hangulFiller}|\r\n`
const sequences = new RegExp(`${visibleSequences.join('|')}|((?:(?!${endOfRun})${invisible})+)`, 'gu')

/** Letters and marks of these scripts, without the accents that Latin text uses too. */
function scriptClass(...scripts: readonly (readonly string[])[]): string {
  const names = scripts.flat().map((script) => String.raw`\p{scx=${script}}`)
  return String.raw`(?=[\p{L}\p{M}])(?!${invisible}|\p{scx=Latn})[${names.join('')}]`
}

/** Whether a text contains any invisible character, even one that an emoji, a script or a line break needs. */
export function hasInvisible(text: string): boolean {
  return anyInvisible.test(text)
}

export interface InvisibleSequence {
  readonly index: number
  readonly characters: string
}

/** Returns the sequences of invisible characters in a text, except those that an emoji or a script needs. */
export function findInvisible(text: string): readonly InvisibleSequence[] {
  if (!hasInvisible(text)) return []
  return Array.from(text.matchAll(sequences), ({ 1: characters, index }) =>
    characters === undefined ? [] : [{ index, characters }],
  ).flat()
}

/**
 * Returns a text as a model may read it. A lone carriage return and other separators of lines become line feeds, a
 * blank braille pattern outside braille becomes a space, and a code point that no font draws becomes U+FFFD, unless it
 * is ignorable by default. Every other invisible character is removed, except those that an emoji or a script needs.
 */
export function removeInvisible(text: string): string {
  if (!hasInvisible(text)) return text
  return text.replaceAll(sequences, (sequence: string, characters: string | undefined) =>
    characters === undefined ? sequence : replace(characters),
  )
}

function replace(characters: string): string {
  return characters
    .replaceAll(/[\r\v\f\x85\p{Zl}\p{Zp}]/gu, '\n')
    .replaceAll('\u2800', ' ')
    .replaceAll(/(?!\p{DI})[\p{Cs}\p{Co}\p{Cn}]/gu, '\uFFFD')
    .replaceAll(allInvisible, '')
}
