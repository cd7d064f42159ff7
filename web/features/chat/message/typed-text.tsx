import { useMemo } from 'react'
import { FoldedContent } from '../../../ui/folded-content.tsx'
import { LongText } from '../../../ui/long-text.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { holdsMarkdown } from './holds-markdown.ts'

/**
 * A text that the user typed: as it was typed, or as markdown (see `holdsMarkdown`). A long one is folded.
 */
export function TypedText({ text }: { readonly text: string }) {
  const isMarkdown = useMemo(() => holdsMarkdown(text), [text])
  return (
    <FoldedContent>
      {isMarkdown ? (
        <Markdown text={text} keepLineBreaks />
      ) : (
        <div dir="auto" className="leading-relaxed whitespace-pre-wrap">
          <LongText text={text} />
        </div>
      )}
    </FoldedContent>
  )
}
