import type { Compaction } from '@yonder/contract/compaction'
import { ChevronRight } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { readReason } from '../../../lib/api/api-error.ts'
import { useAction } from '../../../lib/api/use-action.ts'
import { formatRecent } from '../../../lib/format-time.ts'
import { useKeepMounted } from '../../../lib/keep-mounted.ts'
import { Button } from '../../../ui/button/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { drafts, storageKeys } from '../chat-storage.ts'
import { describeSummary, type CurrentSummary } from './current-summary.ts'
import { SummaryEditor, type EditedSummary } from './summary-editor.tsx'

/** The summary that requests to models contain instead of the messages above it. */
export function SummaryBlock({ summary }: { readonly summary: CurrentSummary }) {
  const { compaction, chatId, botName } = summary
  const draftKey = storageKeys.summary(chatId, compaction.id)
  const [isEditing, setEditing] = useState(() => drafts.read(draftKey) !== '')
  const [isOpen, setOpen] = useState(isEditing)
  const [isRemoving, setRemoving] = useState(false)
  const { save, rewrite, remove } = useSummaryActions(summary)
  const editButton = useRef<HTMLButtonElement>(null)
  const isRewriting = useIsFuture(compaction.rewriting_until) || rewrite.pending
  // An open summary stays open, and the busy state stays, while the user scrolls away and back.
  useKeepMounted(isOpen || rewrite.pending)
  const closeEditor = () => {
    drafts.write(draftKey, '')
    flushSync(() => setEditing(false))
    editButton.current?.focus({ preventScroll: true })
  }
  const saveText = async (edited: EditedSummary) => {
    if ((await save.run(edited)).done) closeEditor()
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
              draftKey={draftKey}
              compaction={compaction}
              saving={save.pending}
              onSave={(edited) => void saveText(edited)}
              onClose={closeEditor}
            />
          ) : (
            <>
              <section
                aria-label="Text of the summary"
                // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long text scrolls with the keyboard too
                tabIndex={0}
                className="max-h-[min(28rem,60dvh)] overflow-y-auto overscroll-contain rounded-inner wrap-anywhere"
              >
                <Markdown text={compaction.content} />
              </section>
              <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
                <SummaryOrigin compaction={compaction} />
                <span className="-mr-3 -ml-3 flex flex-wrap">
                  <Button
                    ref={editButton}
                    size="small"
                    look="muted"
                    disabled={isRewriting}
                    onClick={() => setEditing(true)}
                  >
                    Edit
                  </Button>
                  <Button
                    size="small"
                    look="muted"
                    busy={isRewriting}
                    disabled={botName === undefined}
                    onClick={() => void rewrite.run()}
                  >
                    {isRewriting ? 'Writing again…' : 'Write again'}
                  </Button>
                  <Button size="small" look="muted" disabled={isRewriting} onClick={() => setRemoving(true)}>
                    Remove summary
                  </Button>
                </span>
              </div>
            </>
          )}
        </div>
      )}
      {isRemoving && (
        <ConfirmDialog
          title="Remove this summary?"
          message="The messages stay in the chat and are sent to the model again, except those that an earlier summary replaces. They may be summarised again when they no longer fit into its context window."
          action="Remove"
          onConfirm={async () => (await remove.run()).done}
          onDone={() => setRemoving(false)}
          onCancel={() => setRemoving(false)}
        />
      )}
    </aside>
  )
}

/** The three changes of a summary. Each failure shows its reason and loads the chat again. */
function useSummaryActions({ compaction: { id }, chatId, session, botName, onRemoved }: CurrentSummary) {
  const path = `/api/chats/${encodeURIComponent(chatId)}/compactions/${encodeURIComponent(id)}`
  const explain = (what: string) => (error: unknown) => {
    const reason = readReason(error)
    return reason.startsWith(what) ? reason : `${what}: ${reason}`
  }
  const shared = {
    refresh: session.reload,
    update: (_: unknown, changed: Compaction) => session.changeCompaction(id, changed),
  }
  const save = useAction<EditedSummary, Compaction>({
    ...shared,
    call: (api, edited) => api.put(path, edited),
    success: () => 'Summary saved',
    failure: explain('The summary could not be saved'),
  })
  const rewrite = useAction<void, Compaction>({
    ...shared,
    call: (api) => api.post(`${path}/rewrite`, { botName }),
    success: () => 'Summary written again',
    failure: explain('The summary could not be written again'),
  })
  const remove = useAction<void, null>({
    refresh: session.reload,
    call: (api) => api.delete(path),
    update: () => {
      // The confirmation must close first, because it keeps the focus inside itself.
      flushSync(() => session.changeCompaction(id, undefined))
      onRemoved()
    },
    success: () => 'Summary removed',
    failure: explain('The summary could not be removed'),
  })
  return { save, rewrite, remove }
}

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
