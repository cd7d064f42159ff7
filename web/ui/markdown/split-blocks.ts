import { Lexer, Marked, type Token, type Tokens } from 'marked'

/** A part of a text that is rendered on its own. A finished block stays the same object while the text grows. */
export type MarkdownBlock =
  | { readonly kind: 'text'; readonly key: number; readonly source: string }
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
 */
export function createBlockSplitter(): (text: string) => SplitText {
  /** The text of the finished blocks. */
  let settled = ''
  /** The length of the complete lines in which finished blocks were looked for. */
  let examined = 0
  let finished: readonly MarkdownBlock[] = []
  let definitions: readonly Definition[] = []

  return (text) => {
    const source = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
    if (!source.startsWith(settled)) {
      settled = ''
      examined = 0
      finished = []
      definitions = []
    }
    const linesEnd = source.lastIndexOf('\n') + 1
    if (linesEnd !== examined) {
      examined = linesEnd
      const tokens = listFinished(source.slice(settled.length, linesEnd))
      if (tokens.length > 0) {
        finished = toBlocks(tokens, finished)
        definitions = join(definitions, findDefinitions(tokens))
        settled = source.slice(0, settled.length + tokens.reduce((sum, { raw }) => sum + raw.length, 0))
      }
    }
    const open = lexBlocks(source.slice(settled.length))
    return {
      blocks: toBlocks(open, finished),
      definitions: join(definitions, findDefinitions(open)),
    }
  }
}

/** Returns the tokens of complete lines, without the last block, which can still grow. */
function listFinished(lines: string): readonly Token[] {
  if (lines === '') return []
  const tokens = lexBlocks(lines)
  return tokens.slice(
    0,
    Math.max(
      0,
      tokens.findLastIndex((token) => token.type !== 'space'),
    ),
  )
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

function toBlocks(tokens: readonly Token[], before: readonly MarkdownBlock[]): readonly MarkdownBlock[] {
  const blocks = [...before]
  for (const token of tokens) {
    if (token.type === 'space' || token.type === 'def') continue
    blocks.push(toBlock(token, blocks.length))
  }
  return blocks
}

function toBlock(token: Token, key: number): MarkdownBlock {
  if (token.type !== 'code' || token['codeBlockStyle'] === 'indented')
    return { kind: 'text', key, source: token.raw }
  const { raw, text, lang } = token as Tokens.Code
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

/** Returns the same list when nothing is added, since a new list renders every block again. */
function join(before: readonly Definition[], more: readonly Definition[]): readonly Definition[] {
  return more.length === 0 ? before : [...before, ...more]
}

function findDefinitions(tokens: readonly Token[]): readonly Definition[] {
  return tokens
    .filter((token): token is Tokens.Def => token.type === 'def')
    .map(({ tag, raw }) => ({ label: tag, source: raw.trim() }))
}
