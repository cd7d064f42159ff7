import type { Compaction } from '@yonder/contract/compaction'
import { maxSummaryChars } from '@yonder/contract/lib/chat-limits'
import { useId, useLayoutEffect, useRef, useState } from 'react'
import { formatCount } from '../../../lib/format-usage.ts'
import { describeChanges } from '../../../lib/use-form.ts'
import { Button } from '../../../ui/button/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { useDiscardQuestion } from '../../../ui/dialog/discard-question.tsx'
import { isCancelKey } from '../../../ui/shortcut/shortcut.ts'
import { ChatTextArea, useEditedText } from '../composer/chat-text-area.tsx'

export interface EditedSummary {
  readonly content: string
  /** The time of the summary that was edited. The server refuses the text if the summary has changed since. */
  readonly time: string
}

export interface SummaryEditorProps {
  /** The storage key of the changed text. */
  readonly draftKey: string
  readonly compaction: Compaction
  readonly saving: boolean
  readonly onSave: (edited: EditedSummary) => void
  readonly onClose: () => void
}

/**
 * Edits a summary in place. Escape asks before it discards changes. The editor gets the focus when the user opens it,
 * but not when an earlier edit is restored.
 */
export function SummaryEditor({ draftKey, compaction, saving, onSave, onClose }: SummaryEditorProps) {
  const [{ content: before, time }] = useState(compaction)
  const { text, isRestored, change } = useEditedText(draftKey, before)
  const box = useRef<HTMLTextAreaElement>(null)
  const hint = useId()
  const isChanged = text !== before
  const { requestClose, question } = useDiscardQuestion(describeChanges(isChanged || saving, saving), onClose)
  const isTooLong = text.length > maxSummaryChars
  const isReady = text.trim() !== '' && !isTooLong
  useLayoutEffect(() => {
    if (!isRestored) box.current?.focus()
  }, [isRestored])
  return (
    <form
      aria-label="Edit summary"
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReady || saving) return
        if (isChanged) onSave({ content: text, time })
        else onClose()
      }}
    >
      <ChatTextArea
        ref={box}
        value={text}
        aria-label="Summary"
        aria-describedby={hint}
        aria-invalid={isTooLong || undefined}
        onChange={change}
        onKeyDown={(event) => {
          if (!isCancelKey(event)) return
          event.preventDefault()
          requestClose()
        }}
        className="field-sizing-content max-h-[min(28rem,60dvh)] min-h-32 w-full rounded-control border border-line-strong bg-surface px-3 py-2 text-base transition-colors hover:border-muted focus-visible:outline-offset-0 aria-invalid:border-danger"
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <output id={hint} className={classNames('mr-auto text-xs', isTooLong ? 'text-danger' : 'text-muted')}>
          {isTooLong
            ? `A summary has at most ${formatCount(maxSummaryChars)} characters. This one has ${formatCount(text.length)}.`
            : 'The model reads this text.'}
        </output>
        <Button size="small" look="plain" onClick={onClose}>
          Cancel
        </Button>
        <Button size="small" look="primary" type="submit" busy={saving} disabled={!isReady}>
          Save
        </Button>
      </div>
      {question}
    </form>
  )
}
