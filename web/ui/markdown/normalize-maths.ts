/** In a block with more formulas, none is rendered. */
const maxFormulas = 200

/** Every delimiter that a formula can begin or end with. */
const delimiter = /\$|\\[()[\]]/g
const code = /(`+)(?!`)(?:(?!\1)[\s\S])*\1(?!`)/g
/** Matches an escaped character or one of the four ways to write a formula. `$x$` is a formula, but not `$5 and $6`. */
const formula =
  /\\\[([\s\S]{1,2000}?)\\\]|\\\((.{1,2000}?)\\\)|\\[\s\S]|\$\$([\s\S]{1,2000}?)\$\$|(?<![\w$])\$(?![\s$])((?:\\.|[^$\\\n]){1,2000}?)(?<![\s\\])\$(?![\d$])/g

/**
 * Returns a block of markdown with its formulas between double dollars; a display formula that is alone in its lines
 * gets the dollars on lines of their own. Returns undefined when the block has no formula, or too many (§14.16).
 */
export function normalizeMaths(source: string): string | undefined {
  if (!source.includes('$') && !source.includes('\\[') && !source.includes('\\(')) return undefined
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
      if (tex === undefined || tex.trim() === '') return all
      count += 1
      const display = square ?? double
      if (display === undefined || !isAloneInLines(text, place, all.length)) return `$$${toLine(tex)}$$`
      // The dollars are already on lines of their own.
      if (double !== undefined && /^[ \t]*\n/.test(double)) return all
      const indent = /[ \t]*$/.exec(text.slice(0, place))?.[0] ?? ''
      return `$$\n${indent}${display.trim()}\n${indent}$$`
    })
  let result = ''
  let end = 0
  for (const match of source.matchAll(code)) {
    result += convert(source.slice(end, match.index)) + match[0]
    end = match.index + match[0].length
  }
  result += convert(source.slice(end))
  return count === 0 || count > maxFormulas ? undefined : result
}

function isAloneInLines(text: string, place: number, length: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(0, place)) && /^[ \t]*(?:\n|$)/.test(text.slice(place + length))
}

function toLine(tex: string): string {
  return tex.replaceAll('\n', ' ').trim()
}
