import { lazy, memo, Suspense, use } from 'react'
import ReactMarkdown, { defaultUrlTransform } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { LongText } from '../long-text.tsx'
import { isTooExpensive } from './block-limits.ts'
import { BlockGrowing } from './code-block.tsx'
import { KeepLineBreaks, keepLineBreaks } from './line-breaks.ts'
import { markdownComponents } from './markdown-components.tsx'
import { normalizeMaths } from './normalize-maths.ts'

const plugins = [remarkGfm]
const pluginsWithBreaks = [remarkGfm, keepLineBreaks]
const MathText = lazy(async () => ({ default: (await import('./math-text.tsx')).MathText }))

export interface MarkdownTextProps {
  readonly source: string
  /** Whether the block can still grow. */
  readonly growing: boolean
}

/** Renders one block of markdown. A block that would take too long to parse is shown as plain text. */
export const MarkdownText = memo(function MarkdownText({ source, growing }: MarkdownTextProps) {
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

function TextWithoutMaths({ source }: { readonly source: string }) {
  const keepsBreaks = use(KeepLineBreaks)
  return (
    <ReactMarkdown
      remarkPlugins={keepsBreaks ? pluginsWithBreaks : plugins}
      components={markdownComponents}
      // Allows addresses without a scheme or with a harmless one; all others become empty.
      urlTransform={defaultUrlTransform}
    >
      {source}
    </ReactMarkdown>
  )
}
