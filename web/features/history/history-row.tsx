import type { ChatSummary } from '@yonder/contract/chat'
import { Link } from 'react-router'
import { formatMoment, formatRecent } from '../../lib/format-time.ts'
import { classNames } from '../../ui/class-names.ts'
import { ModelIcon } from '../../ui/icons/model-icon.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import { summarizeChat } from './summarize-chat.ts'

export interface HistoryRowProps {
  readonly chat: ChatSummary
  readonly search: string
  readonly onOpen: () => void
}

export function HistoryRow({ chat, search, onOpen }: HistoryRowProps) {
  const { title, isTitleCut, preview, model } = summarizeChat(chat)
  const updated = new Date(chat.update_time)
  return (
    <li>
      <Link
        to={`/chat/${encodeURIComponent(chat.id)}`}
        onClick={(event) => {
          // With a modifier key the browser opens the chat in another tab or window, so the dialog stays open.
          if (!event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey) onOpen()
        }}
        className="flex items-center gap-3 rounded-control px-3 py-2.5 transition-colors hover:bg-hover focus-visible:bg-hover focus-visible:outline-offset-[-2px]"
      >
        <span className="text-muted">
          <ModelIcon model={model} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline justify-between gap-3">
            <span className={classNames('truncate text-sm font-medium', isTitleCut && "after:content-['…']")}>
              <MarkedText text={title} search={search} />
            </span>
            <time
              dateTime={chat.update_time}
              title={formatMoment(updated)}
              className="shrink-0 text-xs text-muted tabular-nums"
            >
              {formatRecent(updated)}
            </time>
          </span>
          <span className="block truncate text-sm text-muted">
            <MarkedText text={preview} search={search} />
          </span>
        </span>
      </Link>
    </li>
  )
}
