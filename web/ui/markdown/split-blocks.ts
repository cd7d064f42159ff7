import { Lexer, Marked, type Token, type Tokens } from 'marked'
import { costOf, maxStepCost, reachFor } from './drawing-cost.ts'

/** A part of a text that is rendered on its own. A finished block stays the same object while the text grows. */
export type MarkdownBlock =
  | {
      /** `plain` costs too much to be parsed as markdown. */
      readonly kind: 'text' | 'plain'
      readonly key: number
      readonly source: string
    }
  | {
      readonly kind: 'code'
      readonly key: number
      readonly language: string
      readonly code: string
      /** False while the closing fence is missing. */
      readonly closed: boolean
    }

/** A longer name of a language is cut. */
export const maxLanguageChars = 40

export interface SplitText {
  readonly blocks: readonly MarkdownBlock[]
  /** Link definitions of the whole text, which any block can use. */
  readonly definitions: readonly Definition[]
}

export interface Definition {
  readonly label: string
  readonly source: string
}

/**
 * Returns a function that splits a growing text into blocks and parses only the unfinished end again. A block is
 * finished once a later block begins on a complete line: until then the next character can still change it ("2" is a
 * paragraph, "2." continues the list above). So the blocks do not depend on how the text was chunked.
 *
 * The time is linear in the text, whatever it holds: the lexer reads windows of a limited cost, and no block for the
 * parser of markdown costs more than `maxCost`.
 */
export function createBlockSplitter(maxCost = maxStepCost): (text: string) => SplitText {
  /** The text of the finished blocks. */
  let settled = ''
  /** The head of the table that continues after it. */
  let tableHead = ''
  /** The length of the complete lines in which finished blocks were looked for. */
  let examined = 0
  let finished: readonly MarkdownBlock[] = []
  let definitions: readonly Definition[] = []

  return (text) => {
    const source = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
    if (!source.startsWith(settled)) {
      settled = ''
      tableHead = ''
      examined = 0
      finished = []
      definitions = []
    }
    const linesEnd = source.lastIndexOf('\n') + 1
    if (linesEnd !== examined) {
      examined = linesEnd
      const read = readPieces(source.slice(settled.length, linesEnd), tableHead, false, maxCost)
      if (read.length > 0) {
        finished = toBlocks(read.pieces, finished)
        definitions = join(definitions, findDefinitions(read.pieces))
        settled = source.slice(0, settled.length + read.length)
        ;({ tableHead } = read)
      }
    }
    const open = readPieces(source.slice(settled.length), tableHead, true, maxCost).pieces
    return { blocks: toBlocks(open, finished), definitions: join(definitions, findDefinitions(open)) }
  }
}

/** A token, or a part of one that costs too much. */
interface Piece {
  /** The type of the token; `plain` for lines that are not parsed as markdown. */
  readonly type: string
  readonly raw: string
  readonly token?: Token
}

interface ReadPieces {
  readonly pieces: readonly Piece[]
  /** How much of the source the pieces contain. */
  readonly length: number
  /** The head of the table that continues after the last piece, or an empty text. */
  readonly tableHead: string
}

/**
 * Reads a source. The last piece is open, and left out unless `withOpen`. `tableHead` is the head of the table that
 * continues at the start of the source.
 */
function readPieces(source: string, tableHead: string, withOpen: boolean, maxCost: number): ReadPieces {
  const pieces: Piece[] = []
  let length = 0
  let head = tableHead
  while (length < source.length) {
    let end = findWindowEnd(source, length, maxCost)
    let read = readWindow(source, length, end, head, withOpen, maxCost)
    if (read.length === 0 && end < source.length) {
      // The window ends with blank lines, and what follows them ends the piece before them.
      end = findWindowEnd(source, findText(source, end), maxCost)
      read = readWindow(source, length, end, head, withOpen, maxCost)
    }
    if (read.length === 0) break
    pieces.push(...read.pieces)
    length += read.length
    head = read.tableHead
  }
  return { pieces, length, tableHead: head }
}

/** A window costs twice what a piece may cost. It ends with a line, unless that line costs more than a piece may. */
function findWindowEnd(source: string, start: number, maxCost: number): number {
  const end = reachFor(source, start, 2 * maxCost)
  const lineEnd = source.lastIndexOf('\n', end - 1) + 1
  return end < source.length && costOf(source, start, lineEnd) > maxCost ? lineEnd : end
}

/** Returns the place of the first character from a place that is not white space. */
function findText(source: string, from: number): number {
  const text = /\S/g
  text.lastIndex = from
  return text.exec(source)?.index ?? source.length
}

/** Reads the pieces that end within a window, up to one that costs too much. */
function readWindow(
  source: string,
  start: number,
  end: number,
  tableHead: string,
  withOpen: boolean,
  maxCost: number,
): ReadPieces {
  const tokens = lexBlocks(tableHead + source.slice(start, end))
  const last = tokens.findLastIndex(({ type }) => type !== 'space')
  const pieces: Piece[] = []
  let length = 0
  for (const [index, token] of tokens.entries()) {
    const head = index === 0 ? tableHead : ''
    const { type, raw } = token
    const isOpen = index >= last && !(withOpen && end === source.length)
    if (isFence(token)) {
      // Code can be longer than the window.
      const code = isOpen && end < source.length ? readFence(source, start + length) : token
      const codeEnd = start + length + code.raw.length
      const isFinished = index < last || (end < source.length && findText(source, codeEnd) < source.length)
      if (!isFinished && !withOpen) break
      pieces.push({ type, raw: code.raw, token: code })
      length += code.raw.length
      if (index === last) break
      continue
    }
    if (costsTooMuch(raw.trimEnd(), index >= last && end === source.length, maxCost)) {
      const part = divide(token, maxCost)
      pieces.push(part ?? { type: 'plain', raw: takeLines(source, start + length, maxCost) })
      length += (pieces.at(-1)?.raw.length ?? 0) - (part === undefined ? 0 : head.length)
      return { pieces, length, tableHead: part?.tableHead ?? '' }
    }
    if (isOpen) return { pieces, length, tableHead: head }
    pieces.push({ type, raw, token })
    length += raw.length - head.length
  }
  return { pieces, length, tableHead: '' }
}

/**
 * Whether a piece must be divided. `isLast` says that the text ends with it: its last two lines can still become another
 * piece, a table, so they count by themselves.
 */
function costsTooMuch(raw: string, isLast: boolean, maxCost: number): boolean {
  if (costOf(raw) <= maxCost) return false
  if (!isLast) return true
  const lines = raw.lastIndexOf('\n', raw.lastIndexOf('\n') - 1) + 1
  return costOf(raw, 0, lines) > maxCost || costOf(raw, lines) > 1.5 * maxCost
}

function isFence(token: Token): token is Tokens.Code {
  return token.type === 'code' && token['codeBlockStyle'] !== 'indented'
}

/** Returns fenced code from its opening fence to its closing one, or to the end of the source. */
function readFence(source: string, start: number): Tokens.Code {
  const open = / {0,3}(`{3,1000}|~{3,1000})/y
  open.lastIndex = start
  const close = new RegExp(`\\n {0,3}${open.exec(source)?.[1] ?? ''}[~\`]* *(?=\\n|$)`, 'g')
  close.lastIndex = start
  const raw = source.slice(start, close.test(source) ? close.lastIndex : source.length)
  return { ...(lexBlocks(raw)[0] as Tokens.Code), raw }
}

/** Returns the first items of a list, or the first rows of a table, that may be drawn at once. */
function divide(token: Token, maxCost: number): (Piece & { readonly tableHead: string }) | undefined {
  if (token.type === 'list') {
    const raw = takeParts(
      (token as Tokens.List).items.map((item) => item.raw),
      maxCost,
    )
    return raw === '' || !token.raw.startsWith(raw) ? undefined : { type: 'list', raw, tableHead: '' }
  }
  if (token.type !== 'table') return undefined
  const lines = token.raw.split(/(?<=\n)/)
  const tableHead = lines.slice(0, 2).join('')
  const rows = takeParts(lines.slice(2), maxCost - costOf(tableHead))
  return rows === '' ? undefined : { type: 'table', raw: tableHead + rows, tableHead }
}

/** Joins the first parts, as many as the cost allows. */
function takeParts(parts: readonly string[], maxCost: number): string {
  let cost = 0
  const end = parts.findIndex((part) => {
    cost += costOf(part)
    return cost > maxCost
  })
  return parts.slice(0, end).join('')
}

/** Returns lines that cost as much as a piece may, or one line that costs more. */
function takeLines(source: string, start: number, maxCost: number): string {
  const end = reachFor(source, start, maxCost)
  const lineEnd = source.lastIndexOf('\n', end - 1) + 1
  if (lineEnd > start) return source.slice(start, lineEnd)
  const next = source.indexOf('\n', end)
  return source.slice(start, next < 0 ? source.length : next + 1)
}

/**
 * Options for a lexer: lines of maths between `$$` and `$$`, or `\[` and `\]`, are one block, whatever markdown they
 * resemble.
 */
const withMaths = new Marked({
  // An underlined heading of several lines must not include a line of maths.
  tokenizer: {
    lheading(source) {
      const raw = this.rules.block.lheading.exec(source)?.[0]
      return raw !== undefined && hasMaths(raw) ? undefined : false
    },
  },
  extensions: [
    {
      name: 'maths',
      level: 'block',
      start: (source) => {
        const place = source.slice(0, maxStartChars).search(/\n {0,3}(?:\$\$|\\\[)[ \t]*\n/)
        return place < 0 ? undefined : place + 1
      },
      tokenizer: (source) => {
        const raw = matchMaths(source)
        return raw === undefined ? undefined : { type: 'maths', raw }
      },
    },
  ],
})
/** Only this much of a paragraph is searched for the beginning of maths. */
const maxStartChars = 5000

function hasMaths(source: string): boolean {
  return /^ {0,3}(?:\$\$|\\\[)[ \t]*\n/m.test(source)
}

/**
 * Returns the maths at the start of `source`. Without a closing line the block extends to the end of the text, like a
 * fence.
 */
function matchMaths(source: string): string | undefined {
  const open = /^ {0,3}(\$\$|\\\[)[ \t]*\n/.exec(source)
  if (open === null) return undefined
  const close = open[1] === '$$' ? /^ {0,3}\$\$[ \t]*(?:\n|$)/m : /\\\][ \t]*(?:\n|$)/
  const rest = source.slice(open[0].length)
  const end = close.exec(rest)
  return end === null ? source : open[0] + rest.slice(0, end.index + end[0].length)
}

/** Splits a text into tokens. A text that is nested too deeply for the call stack becomes one block. */
function lexBlocks(source: string): readonly Token[] {
  if (source === '') return []
  try {
    return new Lexer(hasMaths(source) ? withMaths.defaults : undefined).blockTokens(source, [])
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [{ type: 'paragraph', raw: source, text: source }]
  }
}

/** After so many blocks, neighbouring ones up to a cost are parsed together, since a block costs something by itself. */
const maxSingleBlocks = 200
const maxGroupCost = 400
/** The length up to which neighbouring lines are one plain block. */
const maxPlainChars = 50_000

function toBlocks(pieces: readonly Piece[], before: readonly MarkdownBlock[]): readonly MarkdownBlock[] {
  const blocks = [...before]
  for (const piece of pieces) {
    if (piece.type === 'space' || piece.type === 'def') continue
    const block = toBlock(piece, blocks.length)
    const joined = joinBlocks(blocks.at(-1), block)
    if (joined === undefined) blocks.push(block)
    else blocks[blocks.length - 1] = joined
  }
  return blocks
}

function joinBlocks(one: MarkdownBlock | undefined, other: MarkdownBlock): MarkdownBlock | undefined {
  if (one?.kind === 'text' && other.kind === 'text' && other.key > maxSingleBlocks) {
    const source = `${one.source}\n\n${other.source}`
    return costOf(source) > maxGroupCost ? undefined : { ...one, source }
  }
  if (one?.kind === 'plain' && other.kind === 'plain' && one.source.length < maxPlainChars)
    return { ...one, source: one.source + other.source }
  return undefined
}

function toBlock({ type, raw, token }: Piece, key: number): MarkdownBlock {
  if (token === undefined || !isFence(token))
    return { kind: type === 'plain' || hasDeepLine(raw) ? 'plain' : 'text', key, source: raw }
  const { text, lang } = token
  const closed = isClosed(raw)
  return {
    kind: 'code',
    key,
    language: (lang ?? '').trim().split(/\s/, 1)[0]?.slice(0, maxLanguageChars) ?? '',
    // An incomplete closing fence is not part of the code.
    code: closed ? text : text.replace(/(^|\n) {0,3}(`+|~+)$/, ''),
    closed,
  }
}

function isClosed(raw: string): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1] ?? ''
  const last =
    raw
      .trimEnd()
      .slice(raw.indexOf('\n') + 1)
      .split('\n')
      .at(-1)
      ?.trim() ?? ''
  return raw.includes('\n') && last.startsWith(fence) && /^(`+|~+)$/.test(last)
}

/** A line that is nested more deeply is not parsed as markdown. */
const maxMarkersInLine = 60

function hasDeepLine(source: string): boolean {
  return source.split('\n').some((line) => {
    if (line.length < maxMarkersInLine) return false
    const markers = /^(?:[ \t]*(?:[-+*>]|\d{1,9}[.)])(?=[ \t>]))*[ \t>]*/.exec(line)?.[0] ?? ''
    return (markers.match(/[-+*>]|\d[.)]/g)?.length ?? 0) > maxMarkersInLine
  })
}

/** Further link definitions are ignored, since every block is searched for each of them. */
const maxDefinitions = 200
/** A longer definition is ignored, since it is parsed again with every block that uses it. */
const maxDefinitionChars = 1000

/** Returns the same list when nothing is added, since a new list renders every block again. */
function join(before: readonly Definition[], more: readonly Definition[]): readonly Definition[] {
  return more.length === 0 || before.length >= maxDefinitions
    ? before
    : [...before, ...more].slice(0, maxDefinitions)
}

function findDefinitions(pieces: readonly Piece[]): readonly Definition[] {
  return pieces.flatMap(({ type, raw, token }) =>
    type === 'def' && raw.length <= maxDefinitionChars
      ? [{ label: (token as Tokens.Def).tag, source: raw.trim() }]
      : [],
  )
}
