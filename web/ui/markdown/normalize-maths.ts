/** In a block with more formulas, none is rendered. */
const maxFormulas = 200

/** Every delimiter that a formula can begin or end with. */
const delimiter = /\$|\\[()[\]]/g
/**
 * Matches an escaped character or one of the four ways to write a formula. `$x$` is a formula, also in `$n$th`, but not
 * `$5 and $6` and `$HOME/$USER`.
 */
const formula =
  /\\\[([\s\S]{1,2000}?)\\\]|\\\((.{1,2000}?)\\\)|\\[\s\S]|\$\$([\s\S]{1,2000}?)\$\$|(?<![\w$])\$(?![\s$])((?:\\.|[^$\\\n]){1,2000}?)(?<![\s\\])\$(?![\d_{$]|(?!(?:th|st|nd|rd|s)\b)[a-z])/gi

/**
 * Returns a block of markdown with its formulas between double dollars; a display formula that is alone in its lines
 * gets the dollars on lines of their own. Returns undefined when the block has no formula, or too many.
 */
export function normalizeMaths(source: string): string | undefined {
  if (!source.includes('$') && !source.includes('\\[') && !source.includes('\\(')) return undefined
  // Nearly every formula has at most four delimiters. With many more, the search for formulas would take too long.
  if ((source.match(delimiter)?.length ?? 0) > 5 * maxFormulas) return undefined
  let count = 0
  const convert = (text: string) =>
    text.replace(formula, (all: string, ...found: readonly (string | number | undefined)[]) => {
      const [square, round, double, single, place = 0] = found as [
        string?,
        string?,
        string?,
        string?,
        number?,
      ]
      const tex = square ?? round ?? double ?? single
      if (tex === undefined || tex.trim() === '' || isPrice(single)) return all
      count += 1
      const display = square ?? double
      if (display === undefined || !isAloneInLines(text, place, all.length)) return `$$${toLine(tex)}$$`
      // Both pairs of dollars are already on lines of their own.
      if (double !== undefined && /^[ \t]*\n[\s\S]*\n[ \t]*$/.test(double)) return all
      const indent = startOfLine(text, place)
      return `$$\n${indent}${display.trim()}\n${indent}$$`
    })
  let result = ''
  let end = 0
  for (const span of findCodeSpans(source)) {
    result += convert(source.slice(end, span.start)) + source.slice(span.start, span.end)
    end = span.end
  }
  result += convert(source.slice(end))
  return count === 0 || count > maxFormulas ? undefined : result
}

/** Whether what is between two dollars is text between two prices, as in `$5 or 10$`. */
function isPrice(text: string | undefined): boolean {
  return (
    text !== undefined &&
    /^\d.*\d$/.test(text) &&
    /[a-z\u0080-\uffff]{2}/i.test(text) &&
    !/[\\^_=+*/<>{}]/.test(text)
  )
}

function isAloneInLines(text: string, place: number, length: number): boolean {
  return /^[ \t]*$/.test(startOfLine(text, place)) && /^[ \t]*(?:\n|$)/.test(text.slice(place + length))
}

/** The text between the start of the line and this place. */
function startOfLine(text: string, place: number): string {
  return text.slice(text.lastIndexOf('\n', place) + 1, place)
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Finds code spans: from a run of backticks to the next run of the same length. */
function findCodeSpans(source: string): readonly Span[] {
  const runs = [...source.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, start: index }))
  const closing = new Map<number, Span>()
  const spans: Span[] = []
  for (const { length, start } of runs.toReversed()) {
    const close = closing.get(length)
    if (close !== undefined) spans.push({ start, end: close.end })
    closing.set(length, { start, end: start + length })
  }
  let end = 0
  return spans.toReversed().filter((span) => {
    const isOutside = span.start >= end
    if (isOutside) ({ end } = span)
    return isOutside
  })
}

function toLine(tex: string): string {
  return tex.replaceAll('\n', ' ').trim()
}
