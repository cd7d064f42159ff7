import type { MessageContent } from '@yonder/contract/message'
import { countContent, isBlank, textOfContent, withText } from '@yonder/contract/message-text'
import { ArrowUp, Square } from 'lucide-react'
import { useEffect, useImperativeHandle, useRef, type Ref } from 'react'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { useFocusAfterRemoval } from '../../../ui/focus.ts'
import { isSendKey, useShortcut } from '../../../ui/shortcut/shortcut.ts'
import { Spinner } from '../../../ui/states/progress.tsx'
import { useDraft } from '../chat-storage.ts'
import { MessageFiles } from '../message/typed-content.tsx'
import { BotSelect, type BotChoice } from './bot-select.tsx'
import { ChatTextArea, NewLineButton } from './chat-text-area.tsx'
import { ContextGauge, type ContextUse } from './context-gauge.tsx'

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
  onStop,
  ref,
}: ComposerProps) {
  const [content, setContent] = useDraft(draftKey)
  const area = useRef<HTMLTextAreaElement>(null)
  useImperativeHandle(ref, () => area.current as HTMLTextAreaElement, [])
  useEffect(() => focusInput(area.current), [])
  useShortcut('shift+escape', () => area.current?.focus())
  const bot = choice.selected
  const canSend = !busy && bot !== undefined && !isBlank(content)
  const submit = () => {
    if (!canSend) return
    if (!keepsText) setContent('')
    // The pressed button becomes disabled or is replaced, and would lose the focus.
    focusInput(area.current)
    onSend(content, bot.name)
  }
  return (
    <form
      aria-label="New message"
      // In a low, wide window the controls are beside the text.
      className="rounded-block border border-line-strong bg-surface transition-colors focus-within:border-accent short:sm:flex short:sm:items-end"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <ChatTextArea
        ref={area}
        rows={2}
        readOnly={busy && keepsText}
        value={textOfContent(content)}
        placeholder="Type your message..."
        aria-label="Message"
        aria-keyshortcuts="Shift+Escape"
        enterKeyHint="send"
        onChange={(text) => setContent(withText(content, text))}
        onKeyDown={(event) => {
          if (!isSendKey(event)) return
          event.preventDefault()
          submit()
        }}
        // Grows to ten rows before it scrolls, or to three in a low window.
        className="field-sizing-content max-h-[calc(10lh+0.75rem)] short:max-h-[calc(3lh+0.75rem)] min-h-[max(60px,2lh+0.75rem)] w-full min-w-0 bg-transparent px-4 pt-2.5 pb-0.5 outline-none placeholder:text-muted read-only:text-muted"
      />
      <div className="px-4">
        <MessageFiles content={content} />
      </div>
      <div className="flex items-center justify-between gap-2 pr-2 pb-2 pl-2 short:sm:max-w-1/2 short:sm:shrink-0">
        <BotSelect choice={choice} />
        <div className="flex items-center gap-1">
          {contextUse !== undefined && <ContextGauge use={contextUse} typed={countContent(content)} />}
          <NewLineButton area={area} />
          {busy && onStop !== undefined ? (
            <StopButton onStop={onStop} onRemoved={() => focusInput(area.current)} />
          ) : (
            <IconButton
              type="submit"
              look="primary"
              label="Send message"
              shortcut="enter"
              disabled={!canSend}
              aria-busy={busy || undefined}
              shape="round"
            >
              {busy ? <Spinner /> : <ArrowUp size={18} aria-hidden />}
            </IconButton>
          )}
        </div>
      </div>
    </form>
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
