import { lazy, memo, Suspense } from 'react'
import ReactMarkdown, { defaultUrlTransform } from 'react-markdown'
import remarkBreaks from 'remark-breaks'
import remarkGfm from 'remark-gfm'
import { LongText } from '../long-text.tsx'
import { BlockGrowing } from './code-block.tsx'
import { markdownComponents } from './markdown-components.tsx'
import { normalizeMaths } from './normalize-maths.ts'

const plugins = [remarkGfm]
const pluginsWithBreaks = [remarkGfm, remarkBreaks]
const MathText = lazy(async () => ({ default: (await import('./math-text.tsx')).MathText }))

export interface MarkdownTextProps {
  readonly source: string
  /** Whether the block can still grow. */
  readonly growing: boolean
  /** Whether a line break inside a paragraph is kept. Markdown itself makes it a space. */
  readonly keepLineBreaks: boolean
}

/** Renders one block of markdown. A block that would take too long to parse is shown as plain text. */
export const MarkdownText = memo(function MarkdownText({
  source,
  growing,
  keepLineBreaks,
}: MarkdownTextProps) {
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
        <TextWithoutMaths source={source} keepLineBreaks={keepLineBreaks} />
      ) : (
        // The code that renders formulas is loaded when the first formula appears.
        <Suspense fallback={<TextWithoutMaths source={source} keepLineBreaks={keepLineBreaks} />}>
          <MathText source={maths} keepLineBreaks={keepLineBreaks} />
        </Suspense>
      )}
    </BlockGrowing>
  )
})

function TextWithoutMaths({ source, keepLineBreaks }: Omit<MarkdownTextProps, 'growing'>) {
  return (
    <ReactMarkdown
      remarkPlugins={keepLineBreaks ? pluginsWithBreaks : plugins}
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
export function isTooExpensive(source: string): boolean {
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
