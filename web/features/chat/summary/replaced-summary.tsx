import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { classNames } from '../../../ui/class-names.ts'
import { describeSummary } from './describe-summary.ts'
import { RemoveSummaryButton } from './remove-summary-button.tsx'
import type { SummaryBlockProps } from './summary-block.tsx'
import { SummaryText } from './summary-text.tsx'
import { useSummaryActions } from './use-summary-actions.ts'

/** A summary that a later one of the path replaces: one line, without a frame. */
export function ReplacedSummary({ compaction, summaries }: SummaryBlockProps) {
  const [isOpen, setOpen] = useState(false)
  const { remove } = useSummaryActions(compaction, summaries)
  const title = describeSummary(compaction.message_count)
  return (
    <aside aria-label={title} className="min-w-0 text-sm text-muted">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="touch-target -ml-1 inline-flex items-center gap-1 rounded-control px-1 py-0.5 text-left text-xs transition-colors hover:text-ink"
      >
        <ChevronRight
          size={14}
          aria-hidden
          className={classNames('shrink-0 transition-transform', isOpen && 'rotate-90')}
        />
        {title}, replaced by a later one
      </button>
      {isOpen && (
        <div className="mt-1 flex flex-col items-start gap-2 border-l border-line pl-4">
          <SummaryText text={compaction.content} />
          <span className="-ml-3">
            <RemoveSummaryButton
              action={remove}
              message="Requests to models do not change now, because they contain the later summary. If that one is removed or written again, the messages themselves are used instead of this summary."
            />
          </span>
        </div>
      )}
    </aside>
  )
}
