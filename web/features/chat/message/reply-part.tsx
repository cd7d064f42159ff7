import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { ChevronRight } from 'lucide-react'
import { memo, use, useState } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { MessageActionsContext, MessageSlotsContext, ToolCallsContext } from './message-context.ts'
import { ReplyOutcome } from './reply-outcome.tsx'

/** One reply of a turn: its reasoning, its text, its tool call, and how it ended. */
export const ReplyPart = memo(function ReplyPart({ message }: { readonly message: Message }) {
  const streaming = message.status === 'streaming'
  const text = visibleText(message)
  return (
    <>
      {message.reasoning !== undefined && (
        <Reasoning text={message.reasoning} isThinking={streaming && text === ''} />
      )}
      {text !== '' && <Markdown key={message.id} text={text} open={streaming} />}
      {streaming && text === '' && <PulsingDots />}
      {message.tool !== undefined && <ReplyCall message={message} />}
      {message.notice !== undefined && (
        <p dir="auto" className="text-sm text-muted">
          {message.notice}
        </p>
      )}
      <ReplyOutcome message={message} />
    </>
  )
})

/** The content of a failed reply is its error; `partial` is the text so far. */
function visibleText(message: Message): string {
  return message.status === 'failed' ? (message.partial ?? '') : textOfContent(message.content)
}

interface ReasoningProps {
  readonly text: string
  /** Whether the reply is being written and has no text yet. */
  readonly isThinking: boolean
}

/** The model's reasoning, collapsed above the text of the reply. It is rendered only while it is open (§14.10). */
function Reasoning({ text, isThinking }: ReasoningProps) {
  const [open, setOpen] = useState(false)
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="text-sm text-muted"
    >
      <summary className="-ml-1 inline-flex list-none items-center gap-1 rounded-control py-1 pr-2 hover:text-ink">
        <ChevronRight
          size={16}
          aria-hidden
          className={open ? 'rotate-90 transition-transform' : 'transition-transform'}
        />
        <span className={isThinking ? 'animate-pulse' : undefined}>
          {isThinking ? 'Thinking...' : 'Reasoning'}
        </span>
      </summary>
      {open && (
        <div dir="auto" className="mt-1 border-l-2 border-line pl-4 leading-relaxed whitespace-pre-wrap">
          {text}
        </div>
      )}
    </details>
  )
}

const dotDelays = ['', '[animation-delay:200ms]', '[animation-delay:400ms]']

/** The placeholder of a reply without text yet (§2.32). */
function PulsingDots() {
  return (
    <span className="flex h-7 items-center gap-1.5">
      <span className="sr-only">The reply is being written</span>
      {dotDelays.map((delay) => (
        <span key={delay} aria-hidden className={`size-2 animate-pulse rounded-full bg-muted ${delay}`} />
      ))}
    </span>
  )
}

/** The tool call of a reply with the actions that the user can take (§13.19). */
function ReplyCall({ message }: { readonly message: Message }) {
  const { toolCall } = use(MessageSlotsContext)
  const { resultOf, last } = use(ToolCallsContext)
  const actions = use(MessageActionsContext)
  const { busy = true, allow, deny, continueAfter } = actions ?? {}
  const result = resultOf(message.id)
  return (
    <>
      {toolCall?.({
        message,
        result,
        isLast: last?.id === message.id,
        allow: busy || allow === undefined ? undefined : () => allow(message),
        deny: busy || deny === undefined ? undefined : () => deny(message),
      })}
      {!busy && result !== undefined && result.id === last?.id && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <p className="text-sm text-muted italic">Nothing was written after this result.</p>
          <Button size="small" disabled={continueAfter === undefined} onClick={() => continueAfter?.(result)}>
            Continue
          </Button>
        </div>
      )}
    </>
  )
}
