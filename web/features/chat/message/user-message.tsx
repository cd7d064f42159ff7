import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { use, useCallback, useEffect, useId, useLayoutEffect, useRef, useState, type Ref } from 'react'
import { useKeepMounted } from '../../../lib/keep-mounted.ts'
import { Button } from '../../../ui/button/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { useDiscardQuestion } from '../../../ui/dialog/discard-question.tsx'
import { prepareForLongLine, hasLongLine } from '../../../ui/long-text.tsx'
import { isCancelKey, isSendKey } from '../../../ui/shortcut/shortcut.ts'
import { NewLineButton } from '../composer/new-line-button.tsx'
import { MessageElementsContext, MessageActionsContext } from './message-context.ts'
import { MessageMeta } from './message-meta.tsx'
import { TypedText } from './typed-text.tsx'

/** A message of the user, in a block on the right. */
export function UserMessage({ message }: { readonly message: Message }) {
  const actions = use(MessageActionsContext)
  const isEditing = actions?.editing?.messageId === message.id
  const editButton = useReturnFocus(isEditing)
  const text = textOfContent(message.content)
  const resend = actions?.resend
  return (
    <article
      ref={useRegisteredElement(message.id)}
      aria-label="You"
      tabIndex={-1}
      className="group/message flex scroll-mt-[calc(var(--spacing-header-end)+1rem)] flex-col items-end outline-none"
    >
      {isEditing && actions !== undefined ? (
        <MessageEditor
          text={text}
          stored={actions.editing?.stored}
          onChange={(changed) => actions.storeEdit(changed === text ? undefined : changed)}
          onSend={resend && !actions.busy ? (changed) => resend(message, changed) : undefined}
          onCancel={() => actions.edit(undefined)}
        />
      ) : (
        <>
          <div className="max-w-[85%] rounded-block bg-bubble px-4 py-2.5 sm:max-w-[75%]">
            <TypedText text={text} />
          </div>
          <MessageMeta message={message} text={text} align="end" editButton={editButton} />
        </>
      )}
    </article>
  )
}

/** Registers the element of the message, so that the table of contents can scroll to it. */
function useRegisteredElement(messageId: string) {
  const elements = use(MessageElementsContext)
  return useCallback(
    (element: HTMLElement | null) =>
      element === null || elements === undefined ? undefined : elements.add(messageId, element),
    [elements, messageId],
  )
}

/** Returns the ref of the edit button, which gets the focus back when the editor closes. */
function useReturnFocus(isEditing: boolean): Ref<HTMLButtonElement> {
  const button = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(isEditing)
  useEffect(() => {
    if (wasEditing.current && !isEditing) button.current?.focus({ preventScroll: true })
    wasEditing.current = isEditing
  }, [isEditing])
  return button
}

interface MessageEditorProps {
  readonly text: string
  /** The edited text, if the chat was left during the edit. */
  readonly stored?: string | undefined
  readonly onChange: (text: string) => void
  /** Called with a text that is not blank; absent while nothing can be sent. */
  readonly onSend?: ((text: string) => void) | undefined
  readonly onCancel: () => void
}

/**
 * Edits a message of the user in place, to send it again with another text. Escape asks before it discards changes. The
 * editor gets the focus when the user opens it, but not when an earlier edit is restored.
 */
function MessageEditor({ text: before, stored, onChange, onSend, onCancel }: MessageEditorProps) {
  const [text, setText] = useState(stored ?? before)
  const getsFocus = stored === undefined
  const box = useRef<HTMLTextAreaElement>(null)
  const hint = useId()
  useKeepMounted()
  const { requestClose, question } = useDiscardQuestion(text === before ? 'none' : 'unsaved', onCancel)
  const canSend = onSend !== undefined && text.trim() !== ''
  const submit = () => {
    if (canSend) onSend(text)
  }
  useLayoutEffect(() => {
    if (!getsFocus) return
    const area = box.current
    area?.focus({ preventScroll: true })
    area?.setSelectionRange(area.value.length, area.value.length)
  }, [getsFocus])
  return (
    <form
      aria-label="Edit message"
      className="w-full rounded-block border border-line-strong bg-surface p-2 transition-colors focus-within:border-accent"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <textarea
        ref={box}
        value={text}
        dir="auto"
        spellCheck={false}
        autoComplete="off"
        enterKeyHint="send"
        aria-label="Message"
        aria-describedby={hint}
        onChange={(event) => {
          setText(event.target.value)
          onChange(event.target.value)
        }}
        onPaste={({ currentTarget, clipboardData }) => prepareForLongLine(currentTarget, clipboardData)}
        onDrop={({ currentTarget, dataTransfer }) => prepareForLongLine(currentTarget, dataTransfer)}
        onKeyDown={(event) => {
          if (isCancelKey(event)) {
            event.preventDefault()
            requestClose()
          } else if (isSendKey(event)) {
            event.preventDefault()
            submit()
          }
        }}
        className={classNames(
          'field-sizing-content max-h-[calc(16lh+1.25rem)] min-h-[60px] w-full resize-none bg-transparent px-2.5 pt-1.5 outline-none',
          hasLongLine(text) && 'long-line',
        )}
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
          <Button size="small" look="primary" type="submit" disabled={!canSend}>
            Send
          </Button>
        </div>
      </div>
      {question}
    </form>
  )
}
