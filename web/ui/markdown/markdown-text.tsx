import { lazy, Suspense } from 'react'
import ReactMarkdown, { defaultUrlTransform } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { BlockOpen } from './code-block.tsx'
import { markdownComponents } from './markdown-components.tsx'
import { normalizeMaths } from './normalize-maths.ts'

const plugins = [remarkGfm]
const MathText = lazy(async () => ({ default: (await import('./math-text.tsx')).MathText }))

/** One block of markdown. What would take too long to read as markdown stands as plain text. */
export function MarkdownText({ source, open }: { readonly source: string; readonly open: boolean }) {
  if (isTooDeep(source)) return <p className="whitespace-pre-wrap">{source}</p>
  const maths = normalizeMaths(source)
  return (
    <BlockOpen value={open}>
      {maths === undefined ? (
        <PlainText source={source} />
      ) : (
        // What draws formulas is loaded with the first of them.
        <Suspense fallback={<PlainText source={source} />}>
          <MathText source={maths} />
        </Suspense>
      )}
    </BlockOpen>
  )
}

function PlainText({ source }: { readonly source: string }) {
  return (
    <ReactMarkdown
      remarkPlugins={plugins}
      components={markdownComponents}
      // Addresses without a scheme or with a harmless one (§5.18); all others become empty.
      urlTransform={defaultUrlTransform}
    >
      {source}
    </ReactMarkdown>
  )
}

/** Characters of one block, nested markers of a line, and openers in a block that are still read as markdown. */
const lengthLimit = 50_000
const depthLimit = 60
const openerLimit = 3000

/** Whether a block is built to keep a parser busy: such nesting has no meaning for a reader. */
function isTooDeep(source: string): boolean {
  if (source.length > lengthLimit) return true
  if (source.length < depthLimit) return false
  return hasDeepLine(source) || count(source, /[[*_~<]/g) > openerLimit
}

function hasDeepLine(source: string): boolean {
  return source.split('\n').some((line) => {
    if (line.length < depthLimit) return false
    const markers = /^(?:[ \t]*(?:[-+*>]|\d{1,9}[.)])(?=[ \t>]))*[ \t>]*/.exec(line)?.[0] ?? ''
    return count(markers, /[-+*>]|\d[.)]/g) > depthLimit
  })
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
