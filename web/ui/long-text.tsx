import { Fragment, memo, type ReactNode } from 'react'
import './long-text.css'

/** A text with a line that is longer than this is drawn in pieces. */
export const maxLineChars = 5000
/** A text that is longer than this is drawn in pieces, however short its lines are. */
const maxWholeChars = 50_000

export interface LongTextProps {
  readonly text: string
  /** Draws a piece. It must be the same function in every render; by default a piece is plain text. */
  readonly draw?: (piece: string) => ReactNode
}

/**
 * A plain text whose line breaks are kept by its container. The browser lays out a whole paragraph at once, so a very
 * long line or text would block the page. It is drawn in pieces instead, of which the browser lays out those near the window.
 * Copying returns the text unchanged, and the search of the browser finds what is in a piece.
 */
export function LongText({ text, draw = identity }: LongTextProps) {
  const pieces = splitLongText(text)
  if (pieces.length === 1) return draw(text)
  return pieces.map((piece, index) => {
    const body = withoutLastBreaks(piece)
    return (
      // oxlint-disable-next-line react/no-array-index-key -- only the last pieces of a growing text change
      <Fragment key={index}>
        {body !== '' && <Piece text={body} draw={draw} />}
        {piece.slice(body.length)}
      </Fragment>
    )
  })
}

const identity = (piece: string): ReactNode => piece

const Piece = memo(function Piece({ text, draw }: Required<LongTextProps>) {
  return <span className="long-text-piece">{draw(text)}</span>
})

/** Whether a text has a line that is longer than `maxLineChars`. */
export function hasLongLine(text: string): boolean {
  for (let start = 0; text.length - start > maxLineChars;) {
    const end = text.lastIndexOf('\n', start + maxLineChars)
    if (end < start) return true
    start = end + 1
  }
  return false
}

/** Marks the area when a long line is pasted or dropped, because the browser lays it out before the next render. */
export function prepareForLongLine(area: HTMLTextAreaElement, data: DataTransfer): void {
  if (hasLongLine(data.getData('text/plain'))) area.classList.add('long-line')
}

/**
 * Splits a long text, or one with a long line, into pieces of at most `maxLineChars` characters: after a line break if there is one,
 * else after a space near the limit, else between two characters. Every other text is one piece.
 */
export function splitLongText(text: string): readonly string[] {
  if (text.length <= maxWholeChars && !hasLongLine(text)) return [text]
  const pieces: string[] = []
  for (let start = 0; start < text.length;) {
    const end = findEnd(text, start)
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

function findEnd(text: string, start: number): number {
  const limit = start + maxLineChars
  if (limit >= text.length) return text.length
  const lineEnd = text.slice(start, limit).lastIndexOf('\n')
  if (lineEnd >= 0) return start + lineEnd + 1
  const wordEnd = text.slice(limit - maxWordChars, limit).lastIndexOf(' ')
  if (wordEnd >= 0) return limit - maxWordChars + wordEnd + 1
  const place = characters
    .segment(text.slice(limit - maxCharacterUnits, limit + maxCharacterUnits))
    .containing(maxCharacterUnits)
  return place === undefined || place.index === 0 ? limit : limit - maxCharacterUnits + place.index
}

/** A piece does not end inside a word that has at most this many characters. */
const maxWordChars = 200
/** A piece does not end inside an emoji or a letter with accents that has at most this many UTF-16 units. */
const maxCharacterUnits = 64
const characters = new Intl.Segmenter()

function withoutLastBreaks(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end--
  return text.slice(0, end)
}
