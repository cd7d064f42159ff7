/** A piece of a line in a PDF, in the order of its characters. */
export interface LinePiece {
  readonly text: string
  readonly isRightToLeft: boolean
  /** The place of its left edge, in any unit. */
  readonly left: number
}

/**
 * Returns the text of a line whose pieces are in the order in which the PDF draws them. Some programs draw Hebrew and
 * Arabic from the left, so that the last word, or even the last letter, comes first.
 */
export function joinLine(pieces: readonly LinePiece[]): string {
  const ordered = isDrawnFromLeft(pieces) ? orderPieces(pieces) : pieces
  return ordered.map(({ text }) => text).join('')
}

function isDrawnFromLeft(pieces: readonly LinePiece[]): boolean {
  const words = pieces.filter(({ isRightToLeft }) => isRightToLeft)
  const steps = words.slice(1).map(({ left }, index) => Math.sign(left - (words[index]?.left ?? left)))
  return steps.reduce((sum, step) => sum + step, 0) > 0
}

/** Turns the order of a line that is mostly Hebrew or Arabic around, of another only that of such words in it. */
function orderPieces(pieces: readonly LinePiece[]): readonly LinePiece[] {
  const count = (isRightToLeft: boolean) =>
    pieces
      .filter((piece) => piece.isRightToLeft === isRightToLeft && isWord(piece))
      .reduce((sum, { text }) => sum + text.length, 0)
  return count(true) > count(false)
    ? turnRuns(pieces.toReversed(), (piece) => !piece.isRightToLeft && isWord(piece))
    : turnRuns(pieces, ({ isRightToLeft }) => isRightToLeft)
}

/** Turns the order within each run around that begins and ends with pieces of a kind and has no other words in it. */
function turnRuns(
  pieces: readonly LinePiece[],
  isOfRun: (piece: LinePiece) => boolean,
): readonly LinePiece[] {
  const ordered: LinePiece[] = []
  for (let at = 0; at < pieces.length;) {
    let end = at
    for (let next = at; next < pieces.length; next++) {
      const piece = pieces[next]
      if (piece === undefined || (!isOfRun(piece) && isWord(piece))) break
      if (isOfRun(piece)) end = next + 1
    }
    const begins = pieces[at]
    const length = begins !== undefined && isOfRun(begins) ? end - at : 1
    ordered.push(...pieces.slice(at, at + length).toReversed())
    at += length
  }
  return ordered
}

function isWord({ text }: LinePiece): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}
