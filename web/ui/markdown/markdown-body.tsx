import { memo, useState } from 'react'
import { CodeBlock } from './code-block.tsx'
import { KeepLineBreaks } from './line-breaks.ts'
import { MarkdownText } from './markdown-text.tsx'
import { joinFootnotes, listDefinitions } from './references.ts'
import './markdown.css'
import { createBlockSplitter, type Definition, type MarkdownBlock } from './split-blocks.ts'

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
    <KeepLineBreaks value={keepLineBreaks}>
      <div dir="auto" className="markdown">
        {blocks.map((block, index) => (
          <Block
            key={block.key}
            block={block}
            growing={growing && index === blocks.length - 1}
            definitions={definitions}
          />
        ))}
      </div>
    </KeepLineBreaks>
  )
}

interface BlockProps {
  readonly block: MarkdownBlock
  readonly growing: boolean
  readonly definitions: readonly Definition[]
}

const Block = memo(function Block({ block, growing, definitions }: BlockProps) {
  return block.kind === 'code' ? (
    <CodeBlock language={block.language} code={block.code} closed={block.closed || !growing} />
  ) : (
    <MarkdownText source={block.source + listDefinitions(block.source, definitions)} growing={growing} />
  )
}, isSame)

/** The unfinished block is a new object each time, so blocks are compared by their content. */
function isSame(before: BlockProps, after: BlockProps): boolean {
  return (
    before.growing === after.growing &&
    before.definitions === after.definitions &&
    (before.block === after.block || isSameBlock(before.block, after.block))
  )
}

function isSameBlock(before: MarkdownBlock, after: MarkdownBlock): boolean {
  if (before.kind === 'text') return after.kind === 'text' && before.source === after.source
  return (
    after.kind === 'code' &&
    before.code === after.code &&
    before.language === after.language &&
    before.closed === after.closed
  )
}
