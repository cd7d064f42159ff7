import ReactMarkdown, { defaultUrlTransform } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { BlockOpen } from './block-open.ts'
import { isTooDeep } from './is-too-deep.ts'
import { markdownComponents } from './markdown-components.tsx'

const plugins = [remarkGfm]

/** One block of markdown. What would take too long to read as markdown stands as plain text. */
export function MarkdownText({ source, open }: { readonly source: string; readonly open: boolean }) {
  if (isTooDeep(source)) return <p className="whitespace-pre-wrap">{source}</p>
  return (
    <BlockOpen value={open}>
      <ReactMarkdown
        remarkPlugins={plugins}
        components={markdownComponents}
        // Addresses without a scheme or with a harmless one (§5.18); all others become empty.
        urlTransform={defaultUrlTransform}
      >
        {source}
      </ReactMarkdown>
    </BlockOpen>
  )
}
