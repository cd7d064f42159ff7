import type { Message } from '@yonder/contract/message'
import { ChevronLeft, ChevronRight, RefreshCw } from 'lucide-react'
import { use, type ReactNode } from 'react'
import { formatRecent } from '../../../lib/format-time.ts'
import { CopyButton } from '../../../ui/button/copy-button.tsx'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { ModelIcon } from '../../../ui/icons/model-icon.tsx'
import { writeMarkdownHtml } from '../../../ui/markdown/markdown.tsx'
import { PromptButton } from '../../prompts/prompt-button.tsx'
import { ShareButton } from '../../sharing/share-button.tsx'
import { DetailsButton } from '../../usage/details-button.tsx'
import type { Siblings } from '../list/message-tree.ts'
import { MessageActionsContext, ToolCallsContext } from './message-context.ts'
import { holdsMarkdown } from './typed-content.tsx'

export interface MessageMetaProps {
  readonly message: Message
  /** If `message` is a reply: the replies of its turn, oldest first, of which it is the last. */
  readonly replies?: readonly Message[]
  /** The text that is copied. */
  readonly text: string
  readonly align: 'start' | 'end'
  /** Further buttons, after the one that copies. */
  readonly children?: ReactNode
}

/**
 * The line under a message: its author and time, its versions, and its actions, which are shown on hover and focus. Those
 * of the last reply are always shown.
 */
export function MessageMeta({ message, replies = [message], text, align, children }: MessageMetaProps) {
  const actions = use(MessageActionsContext)
  const { last } = use(ToolCallsContext)
  // The last message may be the result of the reply's call, which is not shown as a message.
  const isLastReply =
    message.role === 'assistant' && (last?.id === message.id || last?.parent_id === message.id)
  return (
    <div
      className={classNames(
        'flex min-h-8 flex-wrap items-center gap-x-2 text-xs text-muted tabular-nums',
        align === 'end' && 'flex-row-reverse',
      )}
    >
      <MessageAuthor message={message} />
      {/* 0 stands for an unknown time. */}
      {message.unix_timestamp !== 0 && (
        <time dateTime={message.timestamp}>{formatRecent(new Date(message.unix_timestamp))}</time>
      )}
      {actions !== undefined && (
        <BranchControl
          siblings={actions.siblingsOf(message)}
          disabled={actions.busy}
          onSelect={actions.select}
        />
      )}
      <span
        className={classNames(
          'flex',
          !isLastReply &&
            'opacity-0 transition-opacity group-focus-within/message:opacity-100 group-hover/message:opacity-100 pointer-coarse:opacity-100',
        )}
      >
        {text !== '' && (
          <CopyButton
            title="Copy message"
            text={text}
            writeHtml={message.role === 'assistant' ? writeMarkdownHtml : writeTypedHtml}
          />
        )}
        {children}
        {message.role === 'assistant' && <RegenerateButton message={message} />}
        {actions !== undefined && (
          <>
            <ShareButton chatId={actions.chatId} messageId={message.id} />
            {message.role === 'assistant' && (
              <>
                <PromptButton chatId={actions.chatId} messageId={message.id} />
                <DetailsButton chatId={actions.chatId} replies={replies} />
              </>
            )}
          </>
        )}
      </span>
    </div>
  )
}

/** Writes what a user has typed as HTML, unless it is shown as it was typed. */
function writeTypedHtml(text: string): Promise<string> | undefined {
  return holdsMarkdown(text) ? writeMarkdownHtml(text) : undefined
}

/**
 * The model of a reply with the icon of its family, and its provider. `bdi` keeps the text direction of each name.
 */
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

/** Requests another reply. For an incomplete reply, `ReplyOutcome` has the button. */
function RegenerateButton({ message }: { readonly message: Message }) {
  const actions = use(MessageActionsContext)
  if (actions === undefined || message.status !== 'complete') return null
  const { busy, regenerate } = actions
  return (
    <IconButton
      label="Regenerate"
      size="small"
      disabled={busy || regenerate === undefined}
      onClick={() => regenerate?.(message)}
    >
      <RefreshCw size={16} aria-hidden />
    </IconButton>
  )
}

interface BranchControlProps {
  readonly siblings: Siblings
  readonly disabled: boolean
  readonly onSelect: (messageId: string) => void
}

/** Buttons for the previous and the next version of a message, disabled at the ends, and its number. */
export function BranchControl({ siblings: { ids, index }, disabled, onSelect }: BranchControlProps) {
  if (ids.length < 2) return null
  return (
    <span className="flex items-center">
      <VersionButton
        label="Previous version"
        target={disabled ? undefined : ids[index - 1]}
        onSelect={onSelect}
      >
        <ChevronLeft size={16} aria-hidden />
      </VersionButton>
      <output aria-label={`Version ${index + 1} of ${ids.length}`}>
        {index + 1}/{ids.length}
      </output>
      <VersionButton label="Next version" target={disabled ? undefined : ids[index + 1]} onSelect={onSelect}>
        <ChevronRight size={16} aria-hidden />
      </VersionButton>
    </span>
  )
}

interface VersionButtonProps {
  readonly label: string
  /** The id of the version that the button selects; undefined if there is none or nothing can be selected. */
  readonly target: string | undefined
  readonly onSelect: (messageId: string) => void
  readonly children: ReactNode
}

/** Uses `aria-disabled`: with `disabled`, a button would lose the focus at the first or last version. */
function VersionButton({ label, target, onSelect, children }: VersionButtonProps) {
  return (
    <IconButton
      label={label}
      size="small"
      aria-disabled={target === undefined || undefined}
      onClick={() => target !== undefined && onSelect(target)}
    >
      {children}
    </IconButton>
  )
}
