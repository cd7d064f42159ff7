import { memo, useState } from 'react'
import { CodeBlock } from './code-block.tsx'
import { MarkdownText, type MarkdownTextProps } from './markdown-text.tsx'
import { joinFootnotes, listDefinitions } from './references.ts'
import './markdown.css'
import { createBlockSplitter, type Definition } from './split-blocks.ts'

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
