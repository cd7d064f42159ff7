import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/text-of-content'
import { use } from 'react'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { MessageMeta } from './message-meta.tsx'
import { MessageSlotsContext } from './message-slots.ts'
import { PulsingDots } from './pulsing-dots.tsx'
import { ReasoningFold } from './reasoning-fold.tsx'
import { ReplyOutcome } from './reply-outcome.tsx'

/** A reply stands on the page without a frame: the text is what matters. */
export function ReplyMessage({ message }: { readonly message: Message }) {
  const { toolCall } = use(MessageSlotsContext)
  const streaming = message.status === 'streaming'
  const text = message.status === 'failed' ? (message.partial ?? '') : textOfContent(message.content)
  return (
    <article
      aria-label={message.bot ?? message.model ?? 'Reply'}
      aria-busy={streaming || undefined}
      className="group/message flex flex-col gap-2"
    >
      {message.reasoning !== undefined && (
        <ReasoningFold text={message.reasoning} thinking={streaming && text === ''} />
      )}
      {text !== '' && <Markdown key={message.id} text={text} open={streaming} />}
      {streaming && text === '' && <PulsingDots />}
      {message.tool !== undefined && toolCall?.(message)}
      <ReplyOutcome message={message} />
      {streaming ? <div className="min-h-8" /> : <MessageMeta message={message} align="start" />}
    </article>
  )
}
