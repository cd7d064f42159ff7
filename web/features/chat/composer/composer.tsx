import type { MessageContent } from '@yonder/contract/message'
import { isBlank, textOfContent, withText } from '@yonder/contract/message-text'
import { ArrowUp, Square } from 'lucide-react'
import {
  lazy,
  Suspense,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
} from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { useFocusAfterRemoval } from '../../../ui/focus.ts'
import { formatShortcut, isSendKey, useShortcut } from '../../../ui/shortcut/shortcut.ts'
import { Spinner } from '../../../ui/states/progress.tsx'
import { useFileDrop } from '../../../ui/use-file-drop.ts'
import { AddFilesButton } from '../attachments/add-files-button.tsx'
import { AttachmentArea } from '../attachments/attachment-area.tsx'
import { describeWaiting, useSendWhenUploaded } from '../attachments/send-when-uploaded.ts'
import { useAttachments } from '../attachments/use-attachments.ts'
import { useDraft } from '../chat-storage.ts'
import { BotSelect, type BotChoice } from './bot-select.tsx'
import { ChatTextArea, NewLineButton } from './chat-text-area.tsx'
import { ContextGauge, type ContextUse } from './context-gauge.tsx'

// Files can also be dropped without its code, which may fail to load.
const DropOverlay = lazy<() => ReactNode>(() =>
  import('../attachments/drop-overlay.tsx').then(
    (part) => ({ default: part.DropOverlay }),
    () => ({ default: () => null }),
  ),
)

export interface ComposerProps {
  readonly choice: BotChoice
  /** Absent on the home page, in an empty chat, and when the context window of the bot is not known. */
  readonly contextUse?: ContextUse | undefined
  /** The storage key of the text until it is sent. */
  readonly draftKey: string
  /** Whether a reply is being written or a chat is being created. Nothing can be sent then. */
  readonly busy: boolean
  /** Whether the text stays, and cannot be changed, until `onSend` has ended and emptied the draft. */
  readonly keepsText?: boolean
  /** Called with content that is not blank and the name of a bot. */
  readonly onSend: (content: MessageContent, botName: string) => void
  /**
   * Called instead of `onSend` while a reply is being written. It empties the draft when the message is safe. Absent where
   * no message can wait.
   */
  readonly onQueue?: ((content: MessageContent, botName: string) => void) | undefined
  /** Called when the message can be queued. */
  readonly onQueueOffered?: (() => void) | undefined
  /** Called on ArrowUp in an empty input. Returns whether the focus was moved. */
  readonly onLeaveUp?: (() => boolean) | undefined
  /** Absent on the home page, where no reply can be stopped. */
  readonly onStop?: (() => void) | undefined
  /** The text area. */
  readonly ref?: Ref<HTMLTextAreaElement>
}

/** The message input, the same on the home page and in a chat. */
export function Composer({
  choice,
  contextUse,
  draftKey,
  busy,
  keepsText = false,
  onSend,
  onQueue,
  onQueueOffered,
  onLeaveUp,
  onStop,
  ref,
}: ComposerProps) {
  const [content, setContent] = useDraft(draftKey)
  const area = useRef<HTMLTextAreaElement>(null)
  useImperativeHandle(ref, () => area.current as HTMLTextAreaElement, [])
  useEffect(() => focusInput(area.current), [])
  useShortcut('shift+escape', () => area.current?.focus())
  const bot = choice.selected
  const attachments = useAttachments(draftKey, content, setContent, area)
  const [fileTokens, setFileTokens] = useState(0)
  // Whether the message has to wait for the reply before it can be given away.
  const isHeld = busy && onQueue === undefined
  const isReady = !isHeld && bot !== undefined && !isBlank(content)
  const isDragged = useFileDrop((files) => {
    if (!isFixed) attachments.add(files)
  })
  const send = () => {
    if (!isReady) return
    if (busy) return onQueue?.(content, bot.name)
    if (!keepsText) setContent('')
    onSend(content, bot.name)
  }
  const { submit, cancel, isWaiting, problem } = useSendWhenUploaded(attachments, isHeld, send)
  const isFixed = isWaiting || (busy && keepsText)
  const canSend = isReady && !isWaiting
  const canQueue = canSend && busy
  const offerQueue = useEffectEvent(() => onQueueOffered?.())
  useEffect(() => {
    if (canQueue) offerQueue()
  }, [canQueue])
  return (
    <div className="rounded-block border border-line-strong bg-surface transition-colors focus-within:border-accent">
      {isDragged && !isFixed && (
        <Suspense>
          <DropOverlay />
        </Suspense>
      )}
      <AttachmentArea
        attachments={attachments}
        choice={choice}
        onTokens={setFileTokens}
        problem={problem}
        onFocusLost={() => focusInput(area.current)}
      />
      <form
        aria-label="New message"
        // In a low, wide window the controls are beside the text.
        className="short:sm:flex short:sm:items-end"
        onSubmit={(event) => {
          event.preventDefault()
          if (!canSend) return
          submit()
          // The pressed button becomes disabled or is replaced, and would lose the focus.
          focusInput(area.current)
        }}
      >
        <ChatTextArea
          ref={area}
          rows={2}
          readOnly={isFixed}
          value={textOfContent(content)}
          placeholder="Type your message..."
          aria-label="Message"
          aria-keyshortcuts="Shift+Escape"
          enterKeyHint="send"
          onChange={(text) => setContent(withText(content, text))}
          {...attachments.events}
          onKeyDown={(event) => {
            if (isSendKey(event)) {
              event.preventDefault()
              if (canSend) submit()
            } else if (isLeaving(event) && onLeaveUp?.() === true) event.preventDefault()
          }}
          // Grows to ten rows before it scrolls, or to three in a low window.
          className="field-sizing-content max-h-[calc(10lh+0.75rem)] short:max-h-[calc(3lh+0.75rem)] min-h-[max(60px,2lh+0.75rem)] w-full min-w-0 bg-transparent px-4 pt-2.5 pb-0.5 outline-none placeholder:text-muted read-only:text-muted"
        />
        <div className="flex items-center justify-between gap-2 pr-2 pb-2 pl-2 short:sm:max-w-1/2 short:sm:shrink-0">
          <div className="flex min-w-0 items-center gap-1">
            <AddFilesButton disabled={isFixed} hasShortcut onAdd={attachments.add} />
            {isWaiting ? (
              <WaitingNote
                uploading={attachments.uploading}
                onCancel={cancel}
                onRemoved={() => focusInput(area.current)}
              />
            ) : (
              <BotSelect choice={choice} />
            )}
          </div>
          <div className="flex items-center gap-1">
            {contextUse !== undefined && (
              <ContextGauge use={contextUse} typed={textOfContent(content).length} fileTokens={fileTokens} />
            )}
            <NewLineButton area={area} />
            {busy && onQueue !== undefined && (canQueue || isWaiting) && (
              <QueueButton busy={isWaiting} onRemoved={() => focusInput(area.current)} />
            )}
            {busy && onStop !== undefined ? (
              <StopButton onStop={onStop} onRemoved={() => focusInput(area.current)} />
            ) : (
              <IconButton
                type="submit"
                look="primary"
                label="Send message"
                shortcut="enter"
                disabled={!canSend}
                aria-busy={busy || isWaiting || undefined}
                shape="round"
              >
                {busy || isWaiting ? <Spinner /> : <ArrowUp size={18} aria-hidden />}
              </IconButton>
            )}
          </div>
        </div>
      </form>
    </div>
  )
}

interface WaitingNoteProps {
  readonly uploading: number
  readonly onCancel: () => void
  /** Called when the note is removed while its button has the focus. */
  readonly onRemoved: () => void
}

/** Says what a message that is to be sent waits for. */
function WaitingNote({ uploading, onCancel, onRemoved }: WaitingNoteProps) {
  const note = useFocusAfterRemoval<HTMLSpanElement>(onRemoved)
  return (
    <span ref={note} className="flex min-w-0 items-center gap-1 px-1 text-sm text-muted tabular-nums">
      <output className="truncate">{describeWaiting(uploading)}</output>
      <Button size="small" look="plain" onClick={onCancel}>
        Cancel
      </Button>
    </span>
  )
}

/** Whether the key goes up from an empty input, where it moves no cursor. */
function isLeaving({
  key,
  altKey,
  ctrlKey,
  metaKey,
  shiftKey,
  currentTarget,
}: KeyboardEvent<HTMLTextAreaElement>) {
  return key === 'ArrowUp' && !altKey && !ctrlKey && !metaKey && !shiftKey && currentTarget.value === ''
}

interface QueueButtonProps {
  readonly busy: boolean
  /** Called when the button is removed while it has the focus. */
  readonly onRemoved: () => void
}

/** Puts the message into the queue. The Enter key does the same. */
function QueueButton({ busy, onRemoved }: QueueButtonProps) {
  const button = useFocusAfterRemoval<HTMLSpanElement>(onRemoved)
  return (
    <span ref={button} className="inline-flex">
      <Button type="submit" size="small" look="plain" busy={busy} aria-keyshortcuts="Enter">
        Queue
        <kbd aria-hidden className="hidden font-sans text-xs text-muted sm:flex">
          {formatShortcut('enter')}
        </kbd>
      </Button>
    </span>
  )
}

interface StopButtonProps {
  readonly onStop: () => void
  /** Called when the button is removed while it has the focus. */
  readonly onRemoved: () => void
}

function StopButton({ onStop, onRemoved }: StopButtonProps) {
  const button = useFocusAfterRemoval<HTMLButtonElement>(onRemoved)
  useShortcut('escape', onStop)
  return (
    <IconButton ref={button} look="primary" label="Stop" shortcut="escape" shape="round" onClick={onStop}>
      <Square size={14} fill="currentColor" aria-hidden />
    </IconButton>
  )
}

/**
 * Moves the focus to a message input, except on a touch device, whose on-screen keyboard would cover the chat.
 */
export function focusInput(area: HTMLTextAreaElement | null): void {
  if (!matchMedia('(pointer: coarse)').matches) area?.focus({ preventScroll: true })
}
