import type { Compaction } from '@yonder/contract/compaction'
import { ChevronRight } from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { formatRecent } from '../../../lib/format-time.ts'
import { useKeepMounted } from '../../../lib/keep-mounted.ts'
import { Button } from '../../../ui/button/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { describeSummary } from './describe-summary.ts'
import { RemoveSummaryButton } from './remove-summary-button.tsx'
import type { Summaries } from './summaries-context.ts'
import { SummaryEditor } from './summary-editor.tsx'
import { SummaryText } from './summary-text.tsx'
import { useSummaryActions } from './use-summary-actions.ts'

export interface SummaryBlockProps {
  readonly compaction: Compaction
  readonly summaries: Summaries
}

/** The summary that requests to models contain instead of the messages above it. */
export const SummaryBlock = memo(function SummaryBlock({ compaction, summaries }: SummaryBlockProps) {
  const isEditing = summaries.editing?.id === compaction.id
  const isGone = isEditing && summaries.isGone
  const [isOpen, setOpen] = useState(isEditing)
  const { save, rewrite, remove } = useSummaryActions(compaction, summaries)
  const editButton = useRef<HTMLButtonElement>(null)
  const isRewriting = useIsFuture(compaction.rewriting_until) || rewrite.pending
  // The busy state stays while the user scrolls away and back.
  useKeepMounted(rewrite.pending)
  const close = () => {
    flushSync(() => summaries.edit(undefined))
    editButton.current?.focus({ preventScroll: true })
    if (isGone) summaries.onRemoved(compaction.id)
  }
  const saveText = async (text: string) => {
    const { done } = await save.run(text)
    if (done) close()
  }
  const title = describeSummary(compaction.message_count)
  return (
    <aside aria-label={title} className="min-w-0 rounded-card border border-line text-sm">
      <button
        type="button"
        aria-expanded={isOpen}
        disabled={isEditing}
        onClick={() => setOpen(!isOpen)}
        className={classNames(
          'flex min-h-11 w-full items-center gap-2 px-3 py-2 text-left transition-colors enabled:hover:bg-hover',
          isOpen ? 'rounded-t-card' : 'rounded-card',
        )}
      >
        <ChevronRight
          size={16}
          aria-hidden
          className={classNames('shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
        />
        <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{title}</span>
          <span className="text-xs text-muted">The model reads this instead of them.</span>
        </span>
        {compaction.edited && (
          <span className="shrink-0 rounded-full border border-line px-2 py-0.5 text-xs text-muted">
            Edited
          </span>
        )}
      </button>
      {isOpen && (
        <div className="flex flex-col gap-2 border-t border-line px-4 py-3">
          {isEditing ? (
            <SummaryEditor
              before={summaries.editing.content}
              now={compaction.content}
              readText={summaries.readText}
              isGone={isGone}
              saving={save.pending}
              onChange={summaries.storeText}
              onSave={(text) => void saveText(text)}
              onClose={close}
            />
          ) : (
            <>
              <SummaryText text={compaction.content} />
              <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
                <SummaryOrigin compaction={compaction} />
                <span className="-mr-3 -ml-3 flex flex-wrap">
                  <Button
                    ref={editButton}
                    size="small"
                    look="muted"
                    disabled={isRewriting}
                    onClick={() => summaries.edit(compaction)}
                  >
                    Edit
                  </Button>
                  <Button
                    size="small"
                    look="muted"
                    busy={isRewriting}
                    disabled={summaries.botName === undefined}
                    onClick={() => void rewrite.run()}
                  >
                    {isRewriting ? 'Writing again…' : 'Write again'}
                  </Button>
                  <RemoveSummaryButton
                    action={remove}
                    disabled={isRewriting}
                    message="The messages stay in the chat and are sent to the model again, except those that an earlier summary replaces. They may be summarised again when they no longer fit into its context window."
                  />
                </span>
              </div>
            </>
          )}
        </div>
      )}
    </aside>
  )
})

/** Whether a time is in the future. */
function useIsFuture(time: string | undefined): boolean {
  const [past, setPast] = useState<string>()
  useEffect(() => {
    if (time === undefined) return
    const timer = setTimeout(() => setPast(time), Date.parse(time) - Date.now())
    return () => clearTimeout(timer)
  }, [time])
  return time !== undefined && time !== past
}

/** The bot and the model that wrote a summary, and when it was written or changed. */
function SummaryOrigin({ compaction: { bot, model, time } }: { readonly compaction: Compaction }) {
  return (
    <span className="min-w-0 text-xs wrap-anywhere text-muted tabular-nums">
      <bdi>{bot}</bdi> · <bdi>{model}</bdi> · <time dateTime={time}>{formatRecent(new Date(time))}</time>
    </span>
  )
}
