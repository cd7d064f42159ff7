import { memo, useState } from 'react'
import { CodeBlock } from './code-block.tsx'
import { KeepLineBreaks } from './line-breaks.ts'
import { createBlockSplitter } from './split-blocks.ts'
import type { Definition, MarkdownBlock } from './split-blocks.ts'
import { joinFootnotes, listDefinitions } from './references.ts'
import './markdown.css'
import { MarkdownText } from './markdown-text.tsx'

export interface MarkdownBodyProps {
  readonly text: string
  readonly open: boolean
  readonly keepLineBreaks?: boolean
}

/** Renders a text as blocks: each finished block once, and the unfinished end again with every change (§14.19). */
export function MarkdownBody({ text, open, keepLineBreaks = false }: MarkdownBodyProps) {
  const [split] = useState(createBlockSplitter)
  const { blocks, definitions } = open ? split(text) : joinFootnotes(text, split(text))
  return (
    <KeepLineBreaks value={keepLineBreaks}>
      <div dir="auto" className="markdown">
        {blocks.map((block, index) => (
          <Block
            key={block.key}
            block={block}
            open={open && index === blocks.length - 1}
            definitions={definitions}
          />
        ))}
      </div>
    </KeepLineBreaks>
  )
}

interface BlockProps {
  readonly block: MarkdownBlock
  readonly open: boolean
  readonly definitions: readonly Definition[]
}

const Block = memo(function Block({ block, open, definitions }: BlockProps) {
  return block.kind === 'code' ? (
    <CodeBlock language={block.language} code={block.code} closed={block.closed || !open} />
  ) : (
    <MarkdownText source={block.source + listDefinitions(block.source, definitions)} open={open} />
  )
}, isSame)

/** The unfinished block is a new object each time, so blocks are compared by their content. */
function isSame(before: BlockProps, after: BlockProps): boolean {
  return (
    before.open === after.open &&
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
