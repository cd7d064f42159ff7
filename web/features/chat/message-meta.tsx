import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/text-of-content'
import { use } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatMessageTime } from './format-message-time.ts'
import { MessageSlotsContext } from './message-slots.ts'

export interface MessageMetaProps {
  readonly message: Message
  readonly align: 'start' | 'end'
}

/** The line under a message: what a person can do with it, who wrote it and when. */
export function MessageMeta({ message, align }: MessageMetaProps) {
  const { actions } = use(MessageSlotsContext)
  const time = formatMessageTime(message.unix_timestamp)
  const author = [message.model, message.provider].filter(Boolean).join(' · ')
  return (
    <div
      className={classNames(
        'flex min-h-8 items-center gap-2 text-xs text-muted tabular-nums',
        align === 'end' && 'flex-row-reverse',
      )}
    >
      {author !== '' && <span className="min-w-0 truncate">{author}</span>}
      {time !== undefined && <time dateTime={message.timestamp}>{time}</time>}
      <span className="flex opacity-0 transition-opacity group-focus-within/message:opacity-100 group-hover/message:opacity-100 pointer-coarse:opacity-100">
        <CopyButton title="Copy message" text={textOfContent(message.content)} />
        {actions?.(message)}
      </span>
    </div>
  )
}
