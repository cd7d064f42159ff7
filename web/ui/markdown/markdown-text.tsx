import { lazy, Suspense } from 'react'
import ReactMarkdown, { defaultUrlTransform } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { BlockOpen } from './block-open.ts'
import { isTooDeep } from './is-too-deep.ts'
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
