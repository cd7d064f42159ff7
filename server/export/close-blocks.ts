/** Blocks of HTML that a blank line does not end (CommonMark 4.6), each with what ends it. */
const htmlBlocks: readonly (readonly [begin: RegExp, end: RegExp, added: (name: string) => string])[] = [
  [
    /^ {0,3}<(script|pre|style|textarea)(?=[\s>]|$)/i,
    /<\/(?:script|pre|style|textarea)>/i,
    (name) => `</${name}>`,
  ],
  [/^ {0,3}<!--/, /-->/, () => '-->'],
  [/^ {0,3}<\?/, /\?>/, () => '?>'],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/, () => ']]>'],
  [/^ {0,3}<![a-z]/i, />/, () => '>'],
]

interface Block {
  readonly isEnd: (line: string) => boolean
  /** What ends it when no line does. */
  readonly added: string
}

/**
 * Closes the block of code or HTML in which a Markdown text ends, for example of a reply that was stopped in it: else
 * what follows in the document would be a part of that block.
 */
export function closeBlocks(text: string): string {
  let open: Block | undefined
  for (const line of text.split('\n')) {
    if (open?.isEnd(line) === true) open = undefined
    else open ??= openBlock(line)
  }
  return open === undefined ? text : `${text}\n${open.added}`
}

function openBlock(line: string): Block | undefined {
  // What follows backticks has none: else it is code within a line.
  const marks = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1]
  if (marks !== undefined) return { isEnd: (other) => fenceOf(other).startsWith(marks), added: marks }
  for (const [begin, end, added] of htmlBlocks) {
    const [found, name = ''] = begin.exec(line) ?? []
    if (found === undefined) continue
    return end.test(line.slice(found.length))
      ? undefined
      : { isEnd: (other) => end.test(other), added: added(name) }
  }
  return undefined
}

/** The marks of a line that has nothing else. */
function fenceOf(line: string): string {
  return /^ {0,3}(`{3,}|~{3,})[ \t\r]*$/.exec(line)?.[1] ?? ''
}
