import type { MessageContent } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { useMemo } from 'react'
import { FoldedContent } from '../../../ui/folded-content.tsx'
import { LongText } from '../../../ui/long-text.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { holdsMarkdown } from './holds-markdown.ts'
import { MessageFiles } from './message-files.tsx'

/**
 * What the user has written: the text as it was typed, or as markdown (see `holdsMarkdown`), folded if it is long; and
 * the files.
 */
export function TypedContent({ content }: { readonly content: MessageContent }) {
  const text = textOfContent(content)
  const isMarkdown = useMemo(() => holdsMarkdown(text), [text])
  return (
    <>
      {text !== '' && (
        <FoldedContent>
          {isMarkdown ? (
            <Markdown text={text} keepLineBreaks />
          ) : (
            <div dir="auto" className="leading-relaxed whitespace-pre-wrap">
              <LongText text={text} />
            </div>
          )}
        </FoldedContent>
      )}
      <MessageFiles content={content} />
    </>
  )
}
