/** A block that exceeds one of these limits is not parsed as markdown. */
const maxBlockChars = 50_000
const maxMarkersInLine = 60
const maxOpeners = 3000

/** Whether a block is so long or so deeply nested that parsing it would block the page. */
export function isTooExpensive(source: string): boolean {
  if (source.length > maxBlockChars) return true
  if (source.length < maxMarkersInLine) return false
  return hasDeepLine(source) || count(source, /[[*_~<]/g) > maxOpeners
}

function hasDeepLine(source: string): boolean {
  return source.split('\n').some((line) => {
    if (line.length < maxMarkersInLine) return false
    const markers = /^(?:[ \t]*(?:[-+*>]|\d{1,9}[.)])(?=[ \t>]))*[ \t>]*/.exec(line)?.[0] ?? ''
    return count(markers, /[-+*>]|\d[.)]/g) > maxMarkersInLine
  })
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
