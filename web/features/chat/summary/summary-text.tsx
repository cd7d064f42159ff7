import { memo } from 'react'
import { useKeepMounted } from '../../../lib/keep-mounted.ts'
import { Markdown } from '../../../ui/markdown/markdown.tsx'

/**
 * The text of an open summary, which stays open while the user scrolls away and back. A long text scrolls in its own
 * box.
 */
export const SummaryText = memo(function SummaryText({ text }: { readonly text: string }) {
  useKeepMounted()
  return (
    <section
      aria-label="Text of the summary"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long text scrolls with the keyboard too
      tabIndex={0}
      className="max-h-[min(28rem,60dvh)] overflow-y-auto overscroll-contain rounded-inner wrap-anywhere"
    >
      <Markdown text={text} />
    </section>
  )
})
