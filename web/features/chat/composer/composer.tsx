import { ArrowUp, Square } from 'lucide-react'
import type { Ref } from 'react'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { useShortcut } from '../../../ui/shortcut/shortcut.ts'
import { BotSelect } from './bot-select.tsx'
import { ComposerBox } from './composer-box.tsx'
import type { BotChoice } from './use-bot-choice.ts'
import { useDraft } from './drafts.ts'

export interface ComposerProps {
  readonly choice: BotChoice
  /** The storage key of the text until it is sent. */
  readonly draftKey: string
  /** Whether a reply is being written or a chat is being created, so that nothing can be sent. */
  readonly loading: boolean
  /** Called with a text that is not blank and the name of a bot. */
  readonly onSend: (text: string, botName: string) => void
  /** Absent where there is nothing to stop. */
  readonly onStop?: (() => void) | undefined
  /** The text area. */
  readonly ref?: Ref<HTMLTextAreaElement>
}

/** The message input (§2.22, §2.23, §2.24), the same on the home page and in a chat (§5.2, §14.24). */
export function Composer({ choice, draftKey, loading, onSend, onStop, ref }: ComposerProps) {
  const [text, setText] = useDraft(draftKey)
  const bot = choice.selected
  const ready = !loading && bot !== undefined && text.trim() !== ''
  const submit = () => {
    if (!ready) return
    setText('')
    onSend(text, bot.name)
  }
  return (
    <form
      aria-label="New message"
      className="rounded-block border border-line-strong bg-surface transition-colors focus-within:border-accent"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <ComposerBox ref={ref} text={text} onChange={setText} onSubmit={submit} />
      <div className="flex items-center justify-between gap-2 pr-2 pb-2 pl-2">
        <BotSelect choice={choice} />
        {loading && onStop !== undefined ? (
          <StopButton onStop={onStop} />
        ) : (
          <IconButton
            type="submit"
            look="primary"
            label="Send message"
            shortcut="enter"
            disabled={!ready}
            aria-busy={loading || undefined}
            shape="round"
          >
            <ArrowUp size={18} aria-hidden />
          </IconButton>
        )}
      </div>
    </form>
  )
}

function StopButton({ onStop }: { readonly onStop: () => void }) {
  useShortcut('escape', onStop)
  return (
    <IconButton look="primary" label="Stop" shortcut="escape" shape="round" onClick={onStop}>
      <Square size={14} fill="currentColor" aria-hidden />
    </IconButton>
  )
}
