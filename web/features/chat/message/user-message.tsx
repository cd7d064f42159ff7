import type { Message, MessageContent } from '@yonder/contract/message'
import { isBlank, textOfContent, withText, writeContent } from '@yonder/contract/message-text'
import { Pencil } from 'lucide-react'
import { use, useId, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useKeepMounted } from '../../../lib/keep-mounted.ts'
import { Button } from '../../../ui/button/button.tsx'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { useDiscardQuestion } from '../../../ui/dialog/discard-question.tsx'
import { isCancelKey, isSendKey } from '../../../ui/shortcut/shortcut.ts'
import { readFiles } from '../../../ui/use-file-drop.ts'
import { MessageFiles } from '../../files/message-files.tsx'
import { AddFilesButton } from '../attachments/add-files-button.tsx'
import { AttachmentArea } from '../attachments/attachment-area.tsx'
import { describeWaiting, useSendWhenUploaded } from '../attachments/send-when-uploaded.ts'
import { isLocal } from '../attachments/upload-state.ts'
import { useAttachments } from '../attachments/use-attachments.ts'
import { drafts, storageKeys, useDraft } from '../chat-storage.ts'
import type { AskedBot } from '../composer/bot-select.tsx'
import { ChatTextArea, NewLineButton } from '../composer/chat-text-area.tsx'
import { MessageActionsContext, messageElementId } from './message-context.ts'
import { MessageMeta } from './message-meta.tsx'
import { TypedText } from './typed-content.tsx'

/** A message of the user, in a block on the right. An edit that was open when the chat was left is restored. */
export function UserMessage({ message }: { readonly message: Message }) {
  const actions = use(MessageActionsContext)
  const { busy = true, resend, asked } = actions ?? {}
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
          before={message.content}
          asked={asked}
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
          <div className="mb-2 max-w-[85%] empty:hidden sm:max-w-[75%]">
            <MessageFiles content={message.content} align="end" />
          </div>
          {text !== '' && (
            <div className="max-w-[85%] rounded-block bg-bubble px-4 py-2.5 sm:max-w-[75%]">
              <TypedText text={text} />
            </div>
          )}
          <MessageMeta message={message} text={writeContent(message.content, nameOf)} align="end">
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

const nameOf = ({ name }: { readonly name: string }) => name

interface MessageEditorProps {
  /** The storage key of the changed message. */
  readonly draftKey: string
  readonly before: MessageContent
  readonly asked: AskedBot | undefined
  readonly canSend: boolean
  /** Called with content that is not blank. */
  readonly onSend: (content: MessageContent) => void
  readonly onCancel: () => void
}

/**
 * Edits a message of the user in place, to send it again with another text or other files. Escape asks before it discards changes. The
 * editor gets the focus when the user opens it, but not when an earlier edit is restored.
 */
function MessageEditor({ draftKey, before, asked, canSend, onSend, onCancel }: MessageEditorProps) {
  const [isRestored] = useState(() => drafts.read(draftKey) !== '')
  const [content, setContent] = useDraft(draftKey, before)
  const box = useRef<HTMLTextAreaElement>(null)
  const attachments = useAttachments(draftKey, content, setContent, box)
  const hint = useId()
  useKeepMounted()
  const isChanged = JSON.stringify(content) !== JSON.stringify(before)
  const discard = () => {
    for (const file of attachments.files) if (isLocal(file)) attachments.uploads.cancel(file.id)
    onCancel()
  }
  const { requestClose, question } = useDiscardQuestion(isChanged ? 'unsaved' : 'none', discard)
  const isReady = canSend && !isBlank(content)
  const { submit, isWaiting, cancel, problem } = useSendWhenUploaded(attachments, !canSend, () => {
    if (isReady) onSend(content)
  })
  const canSubmit = isReady && !isWaiting
  useLayoutEffect(() => {
    if (isRestored) return
    const area = box.current
    area?.focus({ preventScroll: true })
    area?.setSelectionRange(area.value.length, area.value.length)
  }, [isRestored])
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- files can also be chosen with a button
    <div
      className="w-full rounded-block border border-line-strong bg-surface transition-colors focus-within:border-accent"
      onDrop={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        // These files are not meant for the new message.
        event.preventDefault()
        if (!isWaiting) attachments.add(readFiles(event.dataTransfer))
      }}
    >
      <AttachmentArea
        attachments={attachments}
        choice={asked}
        problem={problem}
        onFocusLost={() => box.current?.focus()}
      />
      <form
        aria-label="Edit message"
        className="p-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (canSubmit) submit()
        }}
      >
        <ChatTextArea
          ref={box}
          value={textOfContent(content)}
          readOnly={isWaiting}
          enterKeyHint="send"
          aria-label="Message"
          aria-describedby={hint}
          onChange={(text) => setContent(withText(content, text))}
          {...attachments.events}
          onKeyDown={(event) => {
            if (isCancelKey(event)) {
              event.preventDefault()
              requestClose()
            } else if (isSendKey(event)) {
              event.preventDefault()
              if (canSubmit) submit()
            }
          }}
          className="field-sizing-content max-h-[calc(16lh+1.25rem)] min-h-[60px] w-full bg-transparent px-2.5 pt-1.5 outline-none read-only:text-muted"
        />
        <div className="flex flex-wrap items-center justify-end gap-2">
          <AddFilesButton disabled={isWaiting} onAdd={attachments.add} />
          <span id={hint} className="mr-auto text-xs text-muted tabular-nums">
            {isWaiting ? describeWaiting(attachments.uploading) : 'The earlier version is kept.'}
          </span>
          <div className="flex gap-2">
            <NewLineButton area={box} />
            <Button size="small" look="plain" onClick={isWaiting ? cancel : discard}>
              Cancel
            </Button>
            <Button size="small" look="primary" type="submit" busy={isWaiting} disabled={!isReady}>
              Send
            </Button>
          </div>
        </div>
        {question}
      </form>
    </div>
  )
}
