import type { MessageContent } from '@yonder/contract/message'
import { isBlank, textOfContent, withText } from '@yonder/contract/message-text'
import { useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { isCancelKey, isSendKey } from '../../../ui/shortcut/shortcut.ts'
import { drafts, useDraft } from '../chat-storage.ts'
import { ChatTextArea, NewLineButton } from '../composer/chat-text-area.tsx'

export interface QueueEditorProps {
  /** The storage key of the changed message. */
  readonly draftKey: string
  readonly before: MessageContent
  /** Called with content that is not blank. Resolves with whether it was saved. */
  readonly onSave: (content: MessageContent) => Promise<boolean>
  /** Called when the editor is to be closed. */
  readonly onEnd: () => void
}

/**
 * Edits the text of a queued message in its row. When the message is sent meanwhile, what was changed is kept, and the
 * message is edited in the chat.
 */
export function QueueEditor({ draftKey, before, onSave, onEnd }: QueueEditorProps) {
  const [isRestored] = useState(() => drafts.read(draftKey) !== '')
  const [content, setContent] = useDraft(draftKey, before)
  const text = textOfContent(content)
  const [isBusy, setBusy] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    if (isRestored) return
    area.current?.focus({ preventScroll: true })
    area.current?.setSelectionRange(area.current.value.length, area.current.value.length)
  }, [isRestored])
  const end = () => {
    drafts.write(draftKey, '')
    onEnd()
  }
  const canSave = !isBusy && !isBlank(content)
  const save = async () => {
    if (!canSave) return
    if (text === textOfContent(before)) return end()
    setBusy(true)
    const isSaved = await onSave(content)
    setBusy(false)
    if (isSaved) end()
  }
  return (
    <form
      aria-label="Edit queued message"
      className="flex-1 py-1.5"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <ChatTextArea
        ref={area}
        rows={2}
        value={text}
        readOnly={isBusy}
        aria-label="Queued message"
        onChange={(next) => setContent(withText(content, next))}
        onKeyDown={(event) => {
          if (isCancelKey(event)) {
            event.preventDefault()
            end()
          } else if (isSendKey(event)) {
            event.preventDefault()
            void save()
          }
        }}
        className="queue-editor field-sizing-content w-full rounded-control border border-line-strong bg-surface px-2.5 py-1.5 outline-none"
      />
      <div className="flex items-center justify-end gap-2 pt-1">
        <NewLineButton area={area} />
        <Button size="small" look="plain" onClick={end}>
          Cancel
        </Button>
        <Button size="small" type="submit" busy={isBusy} disabled={!canSave && !isBusy}>
          Save
        </Button>
      </div>
    </form>
  )
}
