import { lazy, memo, startTransition, Suspense, use, useEffect, useMemo, useState } from 'react'
import ReactMarkdown, { defaultUrlTransform } from 'react-markdown'
import './markdown.css'
import { DrawAllContext } from '../../lib/draw-all.ts'
import { useKeepMounted } from '../../lib/keep-mounted.ts'
import { LongText } from '../long-text.tsx'
import { BlockGrowing, CodeBlock } from './code-block.tsx'
import { costOf, maxStepCost } from './drawing-cost.ts'
import { markdownComponents } from './markdown-components.tsx'
import { markdownPlugins } from './markdown-plugins.ts'
import { normalizeMaths } from './normalize-maths.ts'
import { createBlockSplitter, type Definition, type MarkdownBlock, type SplitText } from './split-blocks.ts'

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
  const { steps, definitions } = useMemo(() => {
    const { blocks, definitions } = growing ? split(text) : joinFootnotes(text, split(text))
    return { steps: divideIntoSteps(blocks), definitions }
  }, [split, text, growing])
  const shown = useSteps(steps.length)
  return (
    <div dir={readDirection(text)} className="markdown">
      {steps.slice(0, shown).map((blocks, index) => {
        const step = (
          <Blocks
            // oxlint-disable-next-line react/no-array-index-key -- a growing text only adds steps
            key={index}
            blocks={blocks}
            definitions={definitions}
            growing={growing && index === steps.length - 1}
          />
        )
        return index === 0 ? (
          step
        ) : (
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className="markdown-step">
            {step}
          </div>
        )
      })}
    </div>
  )
}

interface BlocksProps {
  readonly blocks: readonly MarkdownBlock[]
  readonly definitions: readonly Definition[]
  /** Whether the last block is unfinished. */
  readonly growing: boolean
}

/** What is drawn without a pause. Rendered again only if one of its blocks has changed. */
const Blocks = memo(
  function Blocks({ blocks, definitions, growing }: BlocksProps) {
    return blocks.map((block, index) => {
      const isUnfinished = growing && index === blocks.length - 1
      switch (block.kind) {
        case 'code':
          return (
            <CodeBlock
              key={block.key}
              language={block.language}
              code={block.code}
              closed={block.closed || !isUnfinished}
            />
          )
        case 'plain':
          return <PlainBlock key={block.key} source={block.source} />
        case 'text':
          return (
            <TextBlock
              key={block.key}
              source={block.source}
              growing={isUnfinished}
              definitions={definitions}
            />
          )
      }
    })
  },
  (one, other) =>
    one.definitions === other.definitions &&
    one.growing === other.growing &&
    one.blocks.length === other.blocks.length &&
    one.blocks.every((block, index) => block === other.blocks[index]),
)

/** What a block costs by itself. */
const costOfBlock = 100

/** Divides the blocks into those that are drawn without a pause. */
export function divideIntoSteps(blocks: readonly MarkdownBlock[]): readonly (readonly MarkdownBlock[])[] {
  const steps: MarkdownBlock[][] = []
  let cost = Number.POSITIVE_INFINITY
  for (const block of blocks) {
    const blockCost = costOf(block.kind === 'code' ? block.code : block.source) + costOfBlock
    cost += blockCost
    if (cost > maxStepCost) {
      steps.push([])
      cost = blockCost
    }
    steps.at(-1)?.push(block)
  }
  return steps
}

/**
 * Returns how many steps to draw now. A long text is drawn in steps, between which the page answers the user.
 */
function useSteps(count: number): number {
  const [shown, setShown] = useState(1)
  useEffect(() => {
    if (shown < count) startTransition(() => setShown(shown + 1))
  }, [shown, count])
  // Otherwise scrolling back would draw the text in steps again.
  useKeepMounted(count > 1)
  return use(DrawAllContext) ? count : shown
}

/** With `dir="auto"`, the browser would read a text without letters again for each block that is added. */
export function readDirection(text: string): 'ltr' | 'rtl' {
  const letter = /\p{L}/u.exec(text)?.[0] ?? ''
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(letter)
    ? 'rtl'
    : 'ltr'
}

/** Text that would cost too much as markdown. */
const PlainBlock = memo(function PlainBlock({ source }: { readonly source: string }) {
  return (
    <p className="whitespace-pre-wrap">
      <LongText text={source} />
    </p>
  )
})

interface TextBlockProps extends MarkdownTextProps {
  readonly definitions: readonly Definition[]
}

/** Memoized so that a finished block is not searched for definitions again with each token. */
const TextBlock = memo(function TextBlock({ source, definitions, ...rest }: TextBlockProps) {
  return <MarkdownText source={source + listDefinitions(source, definitions)} {...rest} />
})

const footnote = /^ {0,3}\[\^[^\]\s]{1,80}\]:/m

/** A text with footnotes may cost this much, and have this many marks whose ends the parser looks for. */
const maxJoinedCost = 3 * maxStepCost
const maxJoinedMarks = 1000

/**
 * Joins a finished text with footnotes into one block, since the notes must be listed together at the end. A text that
 * is too expensive to parse as one block stays split.
 */
export function joinFootnotes(text: string, split: SplitText): SplitText {
  if (
    !footnote.test(text) ||
    costOf(text) > maxJoinedCost ||
    (text.match(/[[*_~<]/g)?.length ?? 0) > maxJoinedMarks ||
    split.blocks.some(({ kind }) => kind === 'plain')
  )
    return split
  return { blocks: [{ kind: 'text', key: -1, source: text }], definitions: [] }
}

/** Definitions after so many characters are not added to a block, which is parsed with them. */
const maxAddedChars = 8000

/**
 * Returns the link definitions that a block may use, as markdown to append to the block, which is parsed on its own.
 */
export function listDefinitions(source: string, definitions: readonly Definition[]): string {
  if (definitions.length === 0 || !source.includes('[')) return ''
  const folded = source.toLowerCase().replaceAll(/\s+/g, ' ')
  let added = ''
  for (const definition of definitions)
    if (added.length < maxAddedChars && folded.includes(`[${definition.label}]`))
      added += `\n${definition.source}`
  return added === '' ? '' : `\n${added}`
}

const MathText = lazy(async () => ({ default: (await import('./math-text.tsx')).MathText }))

interface MarkdownTextProps {
  readonly source: string
  /** Whether the block can still grow. */
  readonly growing: boolean
}

/** Renders one block of markdown. */
const MarkdownText = memo(function MarkdownText({ source, growing }: MarkdownTextProps) {
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
