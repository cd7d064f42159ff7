import { lazy, memo, Suspense, useState } from 'react'
import ReactMarkdown, { defaultUrlTransform } from 'react-markdown'
import './markdown.css'
import { LongText } from '../long-text.tsx'
import { BlockGrowing, CodeBlock } from './code-block.tsx'
import { markdownComponents } from './markdown-components.tsx'
import { markdownPlugins } from './markdown-plugins.ts'
import { normalizeMaths } from './normalize-maths.ts'
import { createBlockSplitter, type Definition, type SplitText } from './split-blocks.ts'

export interface MarkdownBodyProps {
  readonly text: string
  /** Whether the text still grows, so that its last block is unfinished. */
  readonly growing: boolean
}

/**
 * Renders a text as blocks. While the text grows, only its unfinished end is rendered again, unless it adds a link
 * definition.
 */
export function MarkdownBody({ text, growing }: MarkdownBodyProps) {
  const [split] = useState(createBlockSplitter)
  const { blocks, definitions } = growing ? split(text) : joinFootnotes(text, split(text))
  return (
    <div dir="auto" className="markdown">
      {blocks.map((block, index) => {
        const isUnfinished = growing && index === blocks.length - 1
        return block.kind === 'code' ? (
          <CodeBlock
            key={block.key}
            language={block.language}
            code={block.code}
            closed={block.closed || !isUnfinished}
          />
        ) : (
          <TextBlock key={block.key} source={block.source} growing={isUnfinished} definitions={definitions} />
        )
      })}
    </div>
  )
}

interface TextBlockProps extends MarkdownTextProps {
  readonly definitions: readonly Definition[]
}

/** Memoized so that a finished block is not searched for definitions again with each token. */
const TextBlock = memo(function TextBlock({ source, definitions, ...rest }: TextBlockProps) {
  return <MarkdownText source={source + listDefinitions(source, definitions)} {...rest} />
})

const footnote = /^ {0,3}\[\^[^\]\s]{1,80}\]:/m

/**
 * Joins a finished text with footnotes into one block, since the notes must be listed together at the end. A text that
 * is too expensive to parse as one block stays split.
 */
function joinFootnotes(text: string, split: SplitText): SplitText {
  if (!footnote.test(text) || isTooExpensive(text)) return split
  return { blocks: [{ kind: 'text', key: -1, source: text }], definitions: [] }
}

/** The limit on link definitions, since every block is searched for each of them. Further ones are ignored. */
const maxDefinitions = 200

/**
 * Returns the link definitions that a block may use, as markdown to append to the block, which is parsed on its own.
 */
function listDefinitions(source: string, definitions: readonly Definition[]): string {
  if (definitions.length === 0 || !source.includes('[')) return ''
  const folded = source.toLowerCase().replaceAll(/\s+/g, ' ')
  const used = definitions.slice(0, maxDefinitions).filter(({ label }) => folded.includes(`[${label}]`))
  return used.length === 0 ? '' : `\n\n${used.map((definition) => definition.source).join('\n')}`
}

const MathText = lazy(async () => ({ default: (await import('./math-text.tsx')).MathText }))

interface MarkdownTextProps {
  readonly source: string
  /** Whether the block can still grow. */
  readonly growing: boolean
}

/** Renders one block of markdown. A block that would take too long to parse is shown as plain text. */
const MarkdownText = memo(function MarkdownText({ source, growing }: MarkdownTextProps) {
  if (isTooExpensive(source))
    return (
      <p className="whitespace-pre-wrap">
        <LongText text={source} />
      </p>
    )
  const maths = normalizeMaths(source)
  return (
    <BlockGrowing value={growing}>
      {maths === undefined ? (
        <TextWithoutMaths source={source} />
      ) : (
        // The code that renders formulas is loaded when the first formula appears.
        <Suspense fallback={<TextWithoutMaths source={source} />}>
          <MathText source={maths} />
        </Suspense>
      )}
    </BlockGrowing>
  )
})

function TextWithoutMaths({ source }: Pick<MarkdownTextProps, 'source'>) {
  return (
    <ReactMarkdown
      remarkPlugins={markdownPlugins}
      components={markdownComponents}
      // Allows addresses without a scheme or with a harmless one; all others become empty.
      urlTransform={defaultUrlTransform}
    >
      {source}
    </ReactMarkdown>
  )
}

/** A block that exceeds one of these limits is not parsed as markdown. */
const maxBlockChars = 50_000
const maxMarkersInLine = 60
const maxOpeners = 3000

/** Whether a block is so long or so deeply nested that parsing it would block the page. */
function isTooExpensive(source: string): boolean {
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
