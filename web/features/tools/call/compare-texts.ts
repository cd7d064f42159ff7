import { diffLines, diffWordsWithSpace } from 'diff'

/** A piece of two texts: in both, only in the earlier one, or only in the later one. */
export interface DiffPiece {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** The number of unchanged lines that are shown before and after a change. */
const contextLines = 2
/** Two texts that are longer together are not compared. */
const maxChars = 50_000
/** Two texts with more removed and added words or lines are not compared. */
const maxEdits = 1_000

/** Compares two texts word by word; undefined when they are too long or differ too much. */
export function compareWords(before: string, after: string): readonly DiffPiece[] | undefined {
  if (before.length + after.length > maxChars) return undefined
  return toPieces(diffWordsWithSpace(before, after, { maxEditLength: maxEdits }))
}

/**
 * Compares two texts line by line and omits unchanged lines that are far from a change; undefined when the texts are
 * too long or differ too much.
 */
export function compareLines(before: string, after: string): readonly DiffPiece[] | undefined {
  if (before.length + after.length > maxChars) return undefined
  const pieces = toPieces(diffLines(before, after, { maxEditLength: maxEdits }))
  return pieces?.map((piece, index) =>
    piece.kind === 'same'
      ? { ...piece, text: shorten(piece.text, { isFirst: index === 0, isLast: index === pieces.length - 1 }) }
      : piece,
  )
}

function toPieces(
  changes: readonly { value: string; added: boolean; removed: boolean }[] | undefined,
): readonly DiffPiece[] | undefined {
  return changes?.map(({ value, added, removed }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }))
}

/** Replaces two or more unchanged lines that are far from a change by a line with their count. */
function shorten(text: string, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): string {
  const lines = text.replace(/\n$/, '').split('\n')
  const before = isFirst ? [] : lines.slice(0, contextLines)
  const after = isLast ? [] : lines.slice(Math.max(before.length, lines.length - contextLines))
  const omitted = lines.length - before.length - after.length
  if (omitted < 2) return text
  return [...before, `[${omitted} unchanged lines]`, ...after].map((line) => `${line}\n`).join('')
}
