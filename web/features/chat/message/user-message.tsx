import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { Pencil, X } from 'lucide-react'
import { use, useId, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useKeepMounted } from '../../../lib/keep-mounted.ts'
import { Button } from '../../../ui/button/button.tsx'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { useDiscardQuestion } from '../../../ui/dialog/discard-question.tsx'
import { isCancelKey, isSendKey } from '../../../ui/shortcut/shortcut.ts'
import { drafts, storageKeys } from '../chat-storage.ts'
import { ChatTextArea, NewLineButton, useEditedText } from '../composer/chat-text-area.tsx'
import { MessageActionsContext, messageElementId } from './message-context.ts'
import { MessageMeta } from './message-meta.tsx'
import { TypedContent } from './typed-content.tsx'

/** A message of the user, in a block on the right. An edit that was open when the chat was left is restored. */
export function UserMessage({ message }: { readonly message: Message }) {
  const actions = use(MessageActionsContext)
  const { busy = true, resend } = actions ?? {}
  const text = textOfContent(message.content)
  const draftKey = storageKeys.edit(actions?.chatId ?? '', message.id)
  // The same component shows all versions of a message, so that the focus stays on the buttons between them.
  const [editedId, setEditedId] = useState(() => (drafts.read(draftKey) === '' ? undefined : message.id))
  const editButton = useRef<HTMLButtonElement>(null)
  const endEdit = () => {
    drafts.write(draftKey, '')
    setEditedId(undefined)
  }
  return (
    <article
      id={messageElementId(message.id)}
      aria-label="You"
      tabIndex={-1}
      className="group/message flex scroll-mt-[calc(var(--spacing-header-end)+1rem)] flex-col items-end outline-none"
    >
      {editedId === message.id ? (
        <MessageEditor
          draftKey={draftKey}
          before={text}
          canSend={!busy && resend !== undefined}
          onSend={(changed) => {
            if (resend?.(message, changed) === true) endEdit()
          }}
          onCancel={() => {
            flushSync(endEdit)
            editButton.current?.focus({ preventScroll: true })
          }}
        />
      ) : (
        <>
          <div className="max-w-[85%] rounded-block bg-bubble px-4 py-2.5 sm:max-w-[75%]">
            <TypedContent content={message.content} />
          </div>
          <MessageMeta message={message} text={text} align="end">
            {actions !== undefined && (
              <IconButton
                ref={editButton}
                label="Edit message"
                size="small"
                disabled={busy}
                onClick={() => setEditedId(message.id)}
              >
                <Pencil size={16} aria-hidden />
              </IconButton>
            )}
          </MessageMeta>
        </>
      )}
    </article>
  )
}

/** The decision of the user that the call above is not made. */
export function Denial({ message }: { readonly message: Message }) {
  return (
    <article
      id={messageElementId(message.id)}
      aria-label="You"
      tabIndex={-1}
      className="group/message flex scroll-mt-[calc(var(--spacing-header-end)+1rem)] flex-col items-end outline-none"
    >
      <p className="flex items-center gap-1.5 rounded-block border border-line px-3 py-1 text-sm text-muted">
        <X size={14} aria-hidden />
        Denied the call
      </p>
      <MessageMeta message={message} text="" align="end" />
    </article>
  )
}

interface MessageEditorProps {
  /** The storage key of the changed text. */
  readonly draftKey: string
  readonly before: string
  readonly canSend: boolean
  /** Called with a text that is not blank. */
  readonly onSend: (text: string) => void
  readonly onCancel: () => void
}

/**
 * Edits a message of the user in place, to send it again with another text. Escape asks before it discards changes. The
 * editor gets the focus when the user opens it, but not when an earlier edit is restored.
 */
function MessageEditor({ draftKey, before, canSend, onSend, onCancel }: MessageEditorProps) {
  const { text, isRestored, change } = useEditedText(draftKey, before)
  const box = useRef<HTMLTextAreaElement>(null)
  const hint = useId()
  useKeepMounted()
  const { requestClose, question } = useDiscardQuestion(text === before ? 'none' : 'unsaved', onCancel)
  const isReady = canSend && text.trim() !== ''
  const submit = () => {
    if (isReady) onSend(text)
  }
  useLayoutEffect(() => {
    if (isRestored) return
    const area = box.current
    area?.focus({ preventScroll: true })
    area?.setSelectionRange(area.value.length, area.value.length)
  }, [isRestored])
  return (
    <form
      aria-label="Edit message"
      className="w-full rounded-block border border-line-strong bg-surface p-2 transition-colors focus-within:border-accent"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <ChatTextArea
        ref={box}
        value={text}
        enterKeyHint="send"
        aria-label="Message"
        aria-describedby={hint}
        onChange={change}
        onKeyDown={(event) => {
          if (isCancelKey(event)) {
            event.preventDefault()
            requestClose()
          } else if (isSendKey(event)) {
            event.preventDefault()
            submit()
          }
        }}
        className="field-sizing-content max-h-[calc(16lh+1.25rem)] min-h-[60px] w-full bg-transparent px-2.5 pt-1.5 outline-none"
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <span id={hint} className="mr-auto pl-2.5 text-xs text-muted">
          The earlier version is kept.
        </span>
        <div className="flex gap-2">
          <NewLineButton area={box} />
          <Button size="small" look="plain" onClick={onCancel}>
            Cancel
          </Button>
          <Button size="small" look="primary" type="submit" disabled={!isReady}>
            Send
          </Button>
        </div>
      </div>
      {question}
    </form>
  )
}
