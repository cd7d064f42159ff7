import type { ToolCallRecord } from '@yonder/contract/connector'
import { Check, Clock, Inbox, X } from 'lucide-react'
import { useId } from 'react'
import { Link } from 'react-router'
import { useDecidedCalls } from '../../data/connectors.ts'
import { useWaitingChanges } from '../../data/inbox.ts'
import { linkToMessage } from '../../data/message-link.ts'
import { formatClock } from '../../lib/format-time.ts'
import { ShowMoreButton } from '../../ui/button/show-more-button.tsx'
import { InertText, ToolName } from '../../ui/inert-text.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { Skeleton } from '../../ui/states/progress.tsx'
import { EmptyState } from '../../ui/states/states.tsx'
import { approvalNames, nameDay } from './describe-decision.ts'

/** The calls that were decided in the last 90 days, by day, the last decided first. */
export function DecidedCalls() {
  const { calls, error, hasMore, isLoadingMore, loadMore, reload } = useDecidedCalls()
  useWaitingChanges(reload)
  if (calls === undefined)
    return error === undefined ? (
      <output className="w-full">
        <span className="sr-only">Loading what was decided</span>
        <Skeleton shape="block" size="h-48" />
      </output>
    ) : (
      <div className="w-full">
        <ErrorState title="What was decided could not be loaded." onRetry={reload} />
      </div>
    )
  if (calls.length === 0)
    return (
      <div className="w-full">
        <EmptyState icon={<Inbox size={22} aria-hidden />} title="Nothing was decided in the last 90 days.">
          Calls that you allow or deny, and those that nobody decided, are listed here.
        </EmptyState>
      </div>
    )
  return (
    <div className="flex w-full flex-col gap-6">
      {groupByDay(calls).map(({ day, calls: ofDay }) => (
        <Day key={day} day={day} calls={ofDay} />
      ))}
      {hasMore && (
        <ShowMoreButton busy={isLoadingMore} onPress={loadMore}>
          Show more
        </ShowMoreButton>
      )}
    </div>
  )
}

interface DayProps {
  readonly day: string
  readonly calls: readonly ToolCallRecord[]
}

const timeOf = ({ decided_at, started_at }: ToolCallRecord) => new Date(decided_at ?? started_at)

function groupByDay(calls: readonly ToolCallRecord[]): readonly DayProps[] {
  const groups = new Map<string, ToolCallRecord[]>()
  for (const call of calls) {
    const day = nameDay(timeOf(call))
    const known = groups.get(day)
    if (known === undefined) groups.set(day, [call])
    else known.push(call)
  }
  return Array.from(groups, ([day, ofDay]) => ({ day, calls: ofDay }))
}

function Day({ day, calls }: DayProps) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="mb-2 text-xs text-muted">
        {day}
      </h2>
      <ul className="divide-y divide-line rounded-card border border-line bg-surface px-4 sm:px-5">
        {calls.map((call) => (
          <DecidedCall key={call.id} call={call} />
        ))}
      </ul>
    </section>
  )
}

/** One line: the tool and the chat on the left, what was decided and when on the right. */
function DecidedCall({ call }: { readonly call: ToolCallRecord }) {
  const { connector, tool, approval, edited, chat_id, chat_title, message_id, decided_on } = call
  const time = timeOf(call)
  return (
    <li className="flex items-center gap-2.5 py-2 text-sm">
      <DecisionIcon approval={approval} />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap gap-x-1.5">
          <bdi className="max-w-full truncate text-muted">
            <InertText>{connector}</InertText>
          </bdi>{' '}
          <bdi className="max-w-full truncate">
            <ToolName>{tool}</ToolName>
          </bdi>
        </p>
        <p className="text-xs text-muted wrap-anywhere">
          {chat_id === null ? (
            'Deleted chat'
          ) : (
            <Link
              to={linkToMessage(
                chat_id,
                message_id === null ? undefined : { messageId: message_id, words: '' },
              )}
              className="touch-target underline underline-offset-4 hover:text-ink"
            >
              <bdi>{chat_title ?? 'New Chat'}</bdi>
            </Link>
          )}
          {decided_on !== null && ` · in ${decided_on}`}
        </p>
      </div>
      <p className="shrink-0 text-right text-xs text-muted tabular-nums">
        {approvalNames[approval]}
        {edited && ', edited'}
        <br />
        <time dateTime={time.toISOString()}>{formatClock(time)}</time>
      </p>
    </li>
  )
}

function DecisionIcon({ approval }: Pick<ToolCallRecord, 'approval'>) {
  if (approval === 'denied') return <X size={16} aria-hidden className="shrink-0 text-muted" />
  if (approval === 'expired') return <Clock size={16} aria-hidden className="shrink-0 text-muted" />
  return <Check size={16} aria-hidden className="shrink-0 text-success" />
}
