/** Characters of one block, nested markers of a line, and openers in a block that are still read as markdown. */
const lengthLimit = 50_000
const depthLimit = 60
const openerLimit = 3000

/** Whether a block is built to keep a parser busy: such nesting has no meaning for a reader. */
export function isTooDeep(source: string): boolean {
  if (source.length > lengthLimit) return true
  if (source.length < depthLimit) return false
  return hasDeepLine(source) || count(source, /[[*_~<]/g) > openerLimit
}

function hasDeepLine(source: string): boolean {
  return source.split('\n').some((line) => {
    if (line.length < depthLimit) return false
    const markers = /^(?:[ \t]*(?:[-+*>]|\d{1,9}[.)])(?=[ \t>]))*[ \t>]*/.exec(line)?.[0] ?? ''
    return count(markers, /[-+*>]|\d[.)]/g) > depthLimit
  })
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
