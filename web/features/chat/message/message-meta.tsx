import type { Message } from '@yonder/contract/message'
import { use } from 'react'
import { CopyButton } from '../../../ui/button/copy-button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { ModelIcon } from '../../../ui/icons/model-icon.tsx'
import { BranchControl } from './branch-control.tsx'
import { formatMessageTime } from './format-message-time.ts'
import { MessageActionsContext } from './message-actions.ts'
import { MessageSlotsContext } from './message-slots.ts'
import { MessageTools } from './message-tools.tsx'

export interface MessageMetaProps {
  readonly message: Message
  /** What is copied. */
  readonly text: string
  readonly align: 'start' | 'end'
}

/** The line under a message: who wrote it and when, its versions, and what a person can do with it. */
export function MessageMeta({ message, text, align }: MessageMetaProps) {
  const slots = use(MessageSlotsContext)
  const actions = use(MessageActionsContext)
  const time = formatMessageTime(message.unix_timestamp)
  return (
    <div
      className={classNames(
        'flex min-h-8 flex-wrap items-center gap-x-2 text-xs text-muted tabular-nums',
        align === 'end' && 'flex-row-reverse',
      )}
    >
      <MessageAuthor message={message} />
      {time !== undefined && <time dateTime={message.timestamp}>{time}</time>}
      {actions !== undefined && (
        <BranchControl
          siblings={actions.siblingsOf(message)}
          disabled={actions.busy}
          onSelect={actions.select}
        />
      )}
      <span className="flex opacity-0 transition-opacity group-focus-within/message:opacity-100 group-hover/message:opacity-100 pointer-coarse:opacity-100">
        {text !== '' && <CopyButton title="Copy message" text={text} />}
        <MessageTools message={message} />
        {slots.actions?.(message)}
      </span>
    </div>
  )
}

/** The model of a reply with the sign of its family, and its provider; names keep their own direction. */
function MessageAuthor({ message: { role, model, provider } }: { readonly message: Message }) {
  if (role === 'user' || (model === undefined && provider === undefined)) return null
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <ModelIcon model={model} size={14} />
      <span className="min-w-0 truncate">
        {model !== undefined && <bdi>{model}</bdi>}
        {model !== undefined && provider !== undefined && ' · '}
        {provider !== undefined && <bdi>{provider}</bdi>}
      </span>
    </span>
  )
}
