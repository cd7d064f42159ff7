import { maxSummaryChars } from '@yonder/contract/lib/chat-limits'
import { useId, useLayoutEffect, useRef, useState } from 'react'
import { formatCount } from '../../../lib/format-usage.ts'
import { useKeepMounted } from '../../../lib/keep-mounted.ts'
import { describeChanges } from '../../../lib/use-form.ts'
import { Button } from '../../../ui/button/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { useDiscardQuestion } from '../../../ui/dialog/discard-question.tsx'
import { hasLongLine, prepareForLongLine } from '../../../ui/long-text.tsx'
import { isCancelKey } from '../../../ui/shortcut/shortcut.ts'

export interface SummaryEditorProps {
  /** The stored text when the editing began. */
  readonly before: string
  /** The stored text now. */
  readonly now: string
  /** Returns the changed text of an earlier edit that is restored; undefined for a new edit. */
  readonly readText: () => string | undefined
  /** Whether the summary was removed or replaced elsewhere, so that nothing can be saved. */
  readonly isGone: boolean
  readonly saving: boolean
  readonly onChange: (text: string) => void
  readonly onSave: (text: string) => void
  readonly onClose: () => void
}

/**
 * Edits a summary in place. Escape asks before it discards changes. The editor gets the focus when the user
 * opens it, but not when an earlier edit is restored.
 */
export function SummaryEditor(props: SummaryEditorProps) {
  const { before, now, readText, isGone, saving, onChange, onSave, onClose } = props
  const [restored] = useState(readText)
  const [text, setText] = useState(restored ?? before)
  const box = useRef<HTMLTextAreaElement>(null)
  const hint = useId()
  useKeepMounted()
  const isChanged = text !== before
  const { requestClose, question } = useDiscardQuestion(describeChanges(isChanged || saving, saving), onClose)
  const isTooLong = text.length > maxSummaryChars
  const isReady = text.trim() !== '' && !isTooLong && !isGone
  useLayoutEffect(() => {
    if (restored === undefined) box.current?.focus()
  }, [restored])
  return (
    <form
      aria-label="Edit summary"
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReady || saving) return
        if (isChanged) onSave(text)
        else onClose()
      }}
    >
      <textarea
        ref={box}
        value={text}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        aria-label="Summary"
        aria-describedby={hint}
        aria-invalid={isTooLong || undefined}
        onChange={(event) => {
          setText(event.target.value)
          onChange(event.target.value)
        }}
        onPaste={({ currentTarget, clipboardData }) => prepareForLongLine(currentTarget, clipboardData)}
        onDrop={({ currentTarget, dataTransfer }) => prepareForLongLine(currentTarget, dataTransfer)}
        onKeyDown={(event) => {
          if (!isCancelKey(event)) return
          event.preventDefault()
          requestClose()
        }}
        className={classNames(
          'field-sizing-content max-h-[min(28rem,60dvh)] min-h-32 w-full resize-none rounded-control border border-line-strong bg-surface px-3 py-2 text-base transition-colors hover:border-muted focus-visible:outline-offset-0 aria-invalid:border-danger',
          hasLongLine(text) && 'long-line',
        )}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <output
          id={hint}
          className={classNames('mr-auto text-xs', isTooLong || isGone ? 'text-danger' : 'text-muted')}
        >
          {describeState({ isGone, isTooLong, isOutdated: now !== before, length: text.length })}
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

interface EditState {
  readonly isGone: boolean
  readonly isTooLong: boolean
  /** Whether the stored text has changed since the editing began. */
  readonly isOutdated: boolean
  /** In characters. */
  readonly length: number
}

/** The line under the text: what prevents saving, or a hint. */
function describeState({ isGone, isTooLong, isOutdated, length }: EditState): string {
  if (isGone) return 'This summary no longer exists. Copy your text if you need it.'
  if (isTooLong)
    return `A summary has at most ${formatCount(maxSummaryChars)} characters. This one has ${formatCount(length)}.`
  if (isOutdated) return 'The summary was changed elsewhere meanwhile. Saving replaces that text.'
  return 'The model reads this text.'
}
