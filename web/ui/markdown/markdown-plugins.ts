import type { Nodes, Parent, Root, RootContent, Table } from 'mdast'
import type { Options } from 'react-markdown'
import remarkBreaks from 'remark-breaks'
import remarkCjkFriendlyStrikethrough from 'remark-cjk-friendly-gfm-strikethrough/parseOnly'
import remarkCjkFriendly from 'remark-cjk-friendly/parseOnly'
import remarkGfm from 'remark-gfm'
import type { Processor } from 'unified'
import { textConstructs } from './text-constructs.ts'

/**
 * How every text is read: as GitHub reads markdown, with what people mean by a text that is not about markdown.
 *
 * - Emphasis may end beside Chinese, Japanese and Korean, which are written without spaces.
 * - One tilde is a range (`5~10`) or a subscript (`H~2~O`). Only two strike through.
 * - A line break is kept: models end the lines of poems, addresses and greetings so, and seldom wrap a paragraph.
 */
export const markdownPlugins: NonNullable<Options['remarkPlugins']> = [
  [remarkGfm, { singleTilde: false }],
  remarkCjkFriendly,
  [remarkCjkFriendlyStrikethrough, { singleTilde: false }],
  readAsMeant,
  remarkBreaks,
]

function readAsMeant(this: Processor) {
  const data = this.data() as { micromarkExtensions?: unknown[] }
  ;(data.micromarkExtensions ??= []).push(textConstructs)
  return (tree: Root, file: { toString: () => string }) => mendChildren(tree, file.toString())
}

function mendChildren(parent: Parent, source: string): void {
  const { children } = parent
  parent.children = children.map((child, index) => {
    if ('children' in child) mendChildren(child, source)
    // The side of its marks, its border or its first column follows its first letter, except one in code.
    if (child.type === 'list' || child.type === 'blockquote') child.data = { hProperties: { dir: 'auto' } }
    // Rows are filled up to the columns of the head, which multiplies what a hostile table holds.
    if (child.type === 'table' && isMostlyEmpty(child)) child.align = null
    if (child.type === 'inlineCode') child.data = { hProperties: { dir: 'ltr' } }
    return mend(child, children[index + 1], source)
  })
}

/** Whether the rows of a table lack thousands of cells. */
function isMostlyEmpty({ align, children }: Table): boolean {
  const cells = children.reduce((sum, row) => sum + row.children.length, 0)
  return (align?.length ?? 0) * children.length > 2 * cells + 1000
}

/** Returns what a node was meant as. */
function mend(node: RootContent, next: RootContent | undefined, source: string): RootContent {
  switch (node.type) {
    case 'html':
      // Of HTML, only line breaks are read: inside a table, markdown has no other way to write one.
      return /^(?:\s*<br\s*\/?>)+\s*$/i.test(node.value) ? { type: 'break' } : node
    case 'emphasis':
      return isProduct(node, source) ? { type: 'text', value: sourceOf(node, source) } : node
    case 'strong':
      return isCodeName(node, source) || isProduct(node, source)
        ? { type: 'text', value: sourceOf(node, source) }
        : node
    case 'link':
      // git@github.com:owner/name
      return node.url.startsWith('mailto:') && next?.type === 'text' && /^:[\w~/]/.test(next.value)
        ? { type: 'text', value: sourceOf(node, source) || node.url.slice('mailto:'.length) }
        : node
    default:
      return node
  }
}

/** Names that Python and JavaScript write between two underscores, wherever they stand. */
const codeName =
  /^__(?:init|main|name|file|call|str|repr|dict|doc|len|eq|hash|iter|next|enter|exit|del|slots|future|getitem|setitem|getattr|setattr|post_init|proto|dirname|filename|typename|tests|mocks|snapshots|pycache)__$/

/** Whether underscores around one word belong to a name of code: by its name, or in `__version__.py` and `src/__new__/`. */
function isCodeName(node: Nodes, source: string): boolean {
  const text = sourceOf(node, source)
  if (!/^__[a-z\d_]+__$/.test(text)) return false
  const { before, after } = textAround(node, source)
  return codeName.test(text) || /[./\\]$/.test(before) || /^(?:[.\\/][\w*]|\(\)|\/|\[)/.test(after)
}

/** Whether stars between numbers or single letters multiply: `2*3*4`, `a*b*c`. */
function isProduct(node: Nodes, source: string): boolean {
  const { before, after } = textAround(node, source)
  return (
    /(?:\d|\b[a-z])$/i.test(before) &&
    /^(?:[a-z]?\d|[a-z]\b)/i.test(after) &&
    /^\*+[\w.]+\*+$/.test(sourceOf(node, source))
  )
}

/** Returns two characters before and after a node. */
function textAround(
  { position }: Nodes,
  source: string,
): { readonly before: string; readonly after: string } {
  const [start = 0, end = 0] = [position?.start.offset, position?.end.offset]
  return { before: source.slice(Math.max(0, start - 2), start), after: source.slice(end, end + 2) }
}

function sourceOf({ position }: Nodes, source: string): string {
  return source.slice(position?.start.offset, position?.end.offset)
}
