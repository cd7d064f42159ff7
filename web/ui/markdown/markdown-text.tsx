import { lazy, Suspense, use } from 'react'
import ReactMarkdown, { defaultUrlTransform } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { BlockOpen } from './code-block.tsx'
import { LongText } from '../long-text.tsx'
import { KeepLineBreaks, keepLineBreaks } from './line-breaks.ts'
import { markdownComponents } from './markdown-components.tsx'
import { normalizeMaths } from './normalize-maths.ts'

const plugins = [remarkGfm]
const pluginsWithBreaks = [remarkGfm, keepLineBreaks]
const MathText = lazy(async () => ({ default: (await import('./math-text.tsx')).MathText }))

/** Renders one block of markdown. A block that would take too long to parse is shown as plain text. */
export function MarkdownText({ source, open }: { readonly source: string; readonly open: boolean }) {
  if (isTooExpensive(source))
    return (
      <p className="whitespace-pre-wrap">
        <LongText text={source} />
      </p>
    )
  const maths = normalizeMaths(source)
  return (
    <BlockOpen value={open}>
      {maths === undefined ? (
        <TextWithoutMaths source={source} />
      ) : (
        // The code that renders formulas is loaded when the first formula appears.
        <Suspense fallback={<TextWithoutMaths source={source} />}>
          <MathText source={maths} />
        </Suspense>
      )}
    </BlockOpen>
  )
}

function TextWithoutMaths({ source }: { readonly source: string }) {
  const keepsBreaks = use(KeepLineBreaks)
  return (
    <ReactMarkdown
      remarkPlugins={keepsBreaks ? pluginsWithBreaks : plugins}
      components={markdownComponents}
      // Allows addresses without a scheme or with a harmless one (§5.18); all others become empty.
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
