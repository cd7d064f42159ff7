import { memo, useState } from 'react'
import { CodeBlock } from './code-block.tsx'
import { isTooExpensive, MarkdownText, type MarkdownTextProps } from './markdown-text.tsx'
import './markdown.css'
import { createBlockSplitter, type Definition, type SplitText } from './split-blocks.ts'

export interface MarkdownBodyProps {
  readonly text: string
  /** Whether the text still grows, so that its last block is unfinished. */
  readonly growing: boolean
  readonly keepLineBreaks?: boolean
}

/**
 * Renders a text as blocks. While the text grows, only its unfinished end is rendered again, unless it adds a link
 * definition.
 */
export function MarkdownBody({ text, growing, keepLineBreaks = false }: MarkdownBodyProps) {
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
          <TextBlock
            key={block.key}
            source={block.source}
            growing={isUnfinished}
            definitions={definitions}
            keepLineBreaks={keepLineBreaks}
          />
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
