/** A block with more formulas is shown without them. */
const maxFormulas = 200

/** Everything that a formula may begin or end with. */
const mark = /\$|\\[()[\]]/g
const code = /(`+)(?!`)(?:(?!\1)[\s\S])*\1(?!`)/g
/** An escape, and the four ways to write a formula. Single dollars count in `$x$` but not in `$5 and $6`. */
const formula =
  /\\\[([\s\S]{1,2000}?)\\\]|\\\((.{1,2000}?)\\\)|\\[\s\S]|\$\$([\s\S]{1,2000}?)\$\$|(?<![\w$])\$(?![\s$])((?:\\.|[^$\\\n]){1,2000}?)(?<![\s\\])\$(?![\d$])/g

/**
 * Returns a block of markdown with its formulas between double dollars, on lines of their own where they stand alone.
 * Returns undefined when it has no formula, or too many.
 */
export function normalizeMaths(source: string): string | undefined {
  if (!source.includes('$') && !source.includes('\\[') && !source.includes('\\(')) return undefined
  if ((source.match(mark)?.length ?? 0) > 5 * maxFormulas) return undefined
  let count = 0
  const read = (text: string) =>
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
      const shown = square ?? double
      if (shown === undefined || !standsAlone(text, place, all.length)) return `$$${toLine(tex)}$$`
      // It already stands between lines of dollars.
      if (double !== undefined && /^[ \t]*\n/.test(double)) return all
      const indent = /[ \t]*$/.exec(text.slice(0, place))?.[0] ?? ''
      return `$$\n${indent}${shown.trim()}\n${indent}$$`
    })
  let result = ''
  let end = 0
  for (const match of source.matchAll(code)) {
    result += read(source.slice(end, match.index)) + match[0]
    end = match.index + match[0].length
  }
  result += read(source.slice(end))
  return count === 0 || count > maxFormulas ? undefined : result
}

function standsAlone(text: string, place: number, length: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(0, place)) && /^[ \t]*(?:\n|$)/.test(text.slice(place + length))
}

function toLine(tex: string): string {
  return tex.replaceAll('\n', ' ').trim()
}
