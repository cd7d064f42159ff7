import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { memo } from 'react'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { PulsingDots } from './pulsing-dots.tsx'
import { ReasoningFold } from './reasoning-fold.tsx'
import { ReplyCall } from './reply-call.tsx'
import { ReplyOutcome } from './reply-outcome.tsx'

/** One reply of a turn: what was thought, written and called, and how it ended. */
export const ReplyPart = memo(function ReplyPart({ message }: { readonly message: Message }) {
  const streaming = message.status === 'streaming'
  const text = shownText(message)
  return (
    <>
      {message.reasoning !== undefined && (
        <ReasoningFold text={message.reasoning} thinking={streaming && text === ''} />
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

/** The text of a reply as it stands on the page. */
function shownText(message: Message): string {
  return message.status === 'failed' ? (message.partial ?? '') : textOfContent(message.content)
}
