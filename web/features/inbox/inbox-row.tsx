import type { ToolCallRecord } from '@yonder/contract/connector'
import type { Message } from '@yonder/contract/message'
import { Check, CircleAlert, X } from 'lucide-react'
import { Link } from 'react-router'
import { linkToMessage } from '../../data/message-link.ts'
import { formatClock, formatRecent } from '../../lib/format-time.ts'
import { Button } from '../../ui/button/button.tsx'
import { InertText, ToolName } from '../../ui/inert-text.tsx'
import { Spinner } from '../../ui/states/progress.tsx'
import { describeEarlierDecision } from '../tools/call/call-state.ts'
import type { CallDecisions } from '../tools/call/decide-call.ts'
import { WaitingCall } from '../tools/call/waiting-call.tsx'
import { decisionNames } from './describe-decision.ts'
import type { EntryEnd, InboxEntry } from './inbox-entries.ts'

export interface InboxRowProps {
  readonly entry: InboxEntry
  /** Whether a decision can be sent now. */
  readonly canDecide: boolean
  readonly onAllow: CallDecisions['allow']
  readonly onDeny: CallDecisions['deny']
  /** Called with the reply when a later call of its step was decided. */
  readonly onChange: (message: Message) => void
  /** Shows the call again after a decision that was not carried out. */
  readonly onReopen: () => void
}

/** One call or question with its chat, bot and time. Once it is decided, one line is left of it. */
export function InboxRow({ entry, canDecide, onAllow, onDeny, onChange, onReopen }: InboxRowProps) {
  const { key, item, end } = entry
  const decide = canDecide ? { allow: onAllow, deny: onDeny } : undefined
  const { chat_id: chatId, message, asked_for, asked_at } = item
  const title = item.chat_title === '' ? 'New Chat' : item.chat_title
  return (
    <li data-key={key} data-open={end === undefined}>
      <div className="flex items-baseline gap-3 text-sm">
        <h2 className="min-w-0 flex-1">
          <Link
            to={linkToMessage(chatId, { messageId: message.id, words: '' })}
            onKeyDown={(event) => {
              // The key that decided about the call before is still pressed.
              if (event.repeat) event.preventDefault()
            }}
            className="touch-target block w-fit max-w-full truncate font-medium underline-offset-4 hover:underline"
          >
            <bdi>{title}</bdi>
          </Link>
        </h2>
        <p className="max-w-1/2 truncate text-xs text-muted tabular-nums">
          {message.bot !== undefined && `${message.bot} · `}
          <time dateTime={asked_at}>{formatRecent(new Date(asked_at))}</time>
        </p>
      </div>
      {end === undefined && asked_for !== '' && asked_for !== title && (
        <p className="truncate text-xs text-muted">
          You: <bdi>{asked_for}</bdi>
        </p>
      )}
      {end === undefined ? (
        <WaitingCall
          chatId={chatId}
          message={message}
          decide={decide}
          onChange={onChange}
          look="quiet"
          chatTitle={title}
        />
      ) : (
        <EndedCall message={message} end={end} onReopen={onReopen} />
      )}
    </li>
  )
}

interface EndedCallProps {
  readonly message: Message
  readonly end: EntryEnd
  readonly onReopen: () => void
}

/** What is left of an entry: the tool, and what became of its call. */
function EndedCall({ message: { server = '', tool = '', call }, end, onReopen }: EndedCallProps) {
  return (
    <div className="mt-1 flex min-h-10 flex-wrap items-center gap-x-2.5 gap-y-1.5 rounded-card border border-line bg-surface px-3 py-2 text-sm">
      <EndIcon end={end} />
      <p className="flex min-w-0 flex-1 gap-x-1.5">
        <bdi className="truncate text-muted">
          <InertText>{server}</InertText>
        </bdi>{' '}
        <bdi className="truncate font-medium">
          <ToolName>{call?.title ?? tool}</ToolName>
        </bdi>
      </p>
      {end.kind === 'failed' ? (
        <>
          <p role="alert" className="w-full text-danger wrap-anywhere">
            {end.reason}
          </p>
          <Button size="small" onClick={onReopen}>
            Show the call
          </Button>
        </>
      ) : (
        <p className="text-xs text-muted tabular-nums">{describeEnd(end, call?.question !== undefined)}</p>
      )}
    </div>
  )
}

function describeEnd(end: Exclude<EntryEnd, { kind: 'failed' }>, isQuestion: boolean): string {
  if (end.kind === 'decided') return `${decisionNames[end.decision]}, ${formatClock(new Date(end.at))}`
  if (isQuestion) return 'No longer asks'
  return end.record ? describeRecord(end.record) : 'No longer waits'
}

function describeRecord({ approval: kind, decided_at, decided_on, started_at }: ToolCallRecord): string {
  const at = Date.parse(decided_at ?? started_at)
  return describeEarlierDecision({ kind, at, ...(decided_on !== null && { on: decided_on }) })
}

function EndIcon({ end }: Pick<EndedCallProps, 'end'>) {
  if (end.kind === 'failed') return <CircleAlert size={16} aria-hidden className="shrink-0 text-danger" />
  if (end.kind === 'decided' && !end.isSent) return <Spinner />
  return wasAllowed(end) ? (
    <Check size={16} aria-hidden className="shrink-0 text-success" />
  ) : (
    <X size={16} aria-hidden className="shrink-0 text-muted" />
  )
}

function wasAllowed(end: EntryEnd): boolean {
  if (end.kind === 'decided') return end.decision === 'allowed' || end.decision === 'allowed_edited'
  const approval = end.kind === 'gone' ? end.record?.approval : undefined
  return approval !== undefined && approval !== 'denied' && approval !== 'expired'
}
