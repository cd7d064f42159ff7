import { maxUsageMessages } from '@yonder/contract/lib/chat-limits'
import type { Message } from '@yonder/contract/message'
import type { MessageUsage, ModelCallUsage } from '@yonder/contract/usage/usage-report'
import { useId, type ReactNode } from 'react'
import useSWR from 'swr'
import { isNotFound, readReason } from '../../lib/api/api-error.ts'
import { optionalReadOptions } from '../../lib/api/api-provider.tsx'
import { formatDuration } from '../../lib/format-time.ts'
import { formatCosts, formatCount } from '../../lib/format-usage.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { Skeleton } from '../../ui/states/progress.tsx'

export interface DetailsDialogProps {
  readonly chatId: string
  /** The replies of a turn, oldest first. */
  readonly replies: readonly Message[]
  readonly onClose: () => void
}

/** What the replies of a turn used and cost. */
export function DetailsDialog({ chatId, replies, onClose }: DetailsDialogProps) {
  return (
    <Dialog
      title="Details"
      description="What this reply used, as its provider counted it."
      size="small"
      onClose={onClose}
    >
      <div className="mt-3">
        <DialogBody chatId={chatId} replies={replies} />
      </div>
    </Dialog>
  )
}

function DialogBody({ chatId, replies }: Omit<DetailsDialogProps, 'onClose'>) {
  // The earliest replies of a longer turn are left out.
  const included = replies.slice(-maxUsageMessages)
  const ids = included.map(({ id }) => encodeURIComponent(id)).join(',')
  const { data, error, mutate } = useSWR<MessageUsage, Error>(
    `/api/chats/${encodeURIComponent(chatId)}/usage?messageIds=${ids}`,
    detailsOptions,
  )
  if (error !== undefined && !isNotFound(error))
    return (
      <ErrorState title="The details could not be loaded" onRetry={() => void mutate()}>
        {readReason(error)}
      </ErrorState>
    )
  if (data === undefined && error === undefined) return <DetailsSkeleton />
  const usage = data ?? noUsage
  return (
    <div className="flex flex-col gap-4">
      <TotalDetails usage={usage} last={included.at(-1)} />
      {usage.calls.length > 1 && <CallTable calls={usage.calls} />}
      {included.length < replies.length && (
        <p className="text-sm text-muted">
          Only the last {maxUsageMessages} of the {formatCount(replies.length)} steps of this reply are
          counted.
        </p>
      )}
      {data === undefined && (
        <p className="text-sm text-muted">
          There is no record of the usage of this reply: the model sent none.
        </p>
      )}
    </div>
  )
}

// The usage of a finished reply never changes.
const detailsOptions = { ...optionalReadOptions, revalidateOnReconnect: false }

/** Of replies whose model sent neither text nor usage, so that nothing was recorded. */
const noUsage: MessageUsage = {
  calls: [],
  total: {
    calls: 1,
    input_tokens: 0,
    cached_tokens: 0,
    output_tokens: 0,
    reasoning_tokens: 0,
    uncounted_calls: 1,
    costs: [],
    unpriced_calls: 1,
  },
}

interface TotalDetailsProps {
  readonly usage: MessageUsage
  readonly last: Message | undefined
}

function TotalDetails({ usage: { calls, total }, last }: TotalDetailsProps) {
  // The title is written beside the reply, which does not wait for it.
  const ownCalls = calls.filter(({ kind }) => kind !== 'title')
  const call = ownCalls.at(-1)
  const times = ownCalls.flatMap(({ duration_ms }) => duration_ms ?? [])
  // The call that writes a summary precedes the reply and has no time of its first output.
  const firstOutput = calls.find(({ kind }) => kind === 'reply')?.first_text_ms
  const isCounted = total.uncounted_calls < total.calls
  const tokens = (count: number) => (isCounted || count > 0 ? formatCount(count) : 'unknown')
  return (
    <dl className="divide-y divide-line text-sm">
      <Row name="Bot">{call?.bot ?? last?.bot ?? 'unknown'}</Row>
      <Row name="Model">{last?.model ?? call?.model ?? 'unknown'}</Row>
      {(last?.provider ?? call?.provider) && <Row name="Provider">{last?.provider ?? call?.provider}</Row>}
      <Row name="Input tokens" part={describePart(total.cached_tokens, 'from the cache')}>
        {tokens(total.input_tokens)}
      </Row>
      <Row name="Output tokens" part={describePart(total.reasoning_tokens, 'for reasoning')}>
        {tokens(total.output_tokens)}
      </Row>
      <Row name="Cost" part={describeUnpriced(total)}>
        {formatCosts(total.costs)}
      </Row>
      {calls.length > 1 && <Row name="Model calls">{formatCount(calls.length)}</Row>}
      {typeof firstOutput === 'number' && (
        <Row name="Time to first output">{formatDuration(firstOutput)}</Row>
      )}
      {times.length > 0 && (
        <Row name="Duration">{formatDuration(times.reduce((sum, time) => sum + time, 0))}</Row>
      )}
    </dl>
  )
}

function describePart(count: number, what: string): string | undefined {
  return count === 0 ? undefined : `${formatCount(count)} ${what}`
}

/** A sum that lacks a call must not look complete. */
function describeUnpriced({ costs, unpriced_calls }: MessageUsage['total']): string | undefined {
  if (costs.length === 0 || unpriced_calls === 0) return undefined
  return `and ${formatCount(unpriced_calls)} ${unpriced_calls === 1 ? 'call' : 'calls'} of unknown cost`
}

interface RowProps {
  readonly name: string
  readonly part?: string | undefined
  readonly children: ReactNode
}

function Row({ name, part, children }: RowProps) {
  return (
    <div className="flex justify-between gap-6 py-2">
      <dt className="shrink-0 text-muted">{name}</dt>
      <dd className="min-w-0 text-right break-words tabular-nums">
        <bdi>{children}</bdi>
        {part !== undefined && <span className="block text-xs text-muted">{part}</span>}
      </dd>
    </div>
  )
}

const kindNames = { summary: 'Summary', title: 'Title' } as const

/** Every model call of the replies. Their figures add up to the totals above. */
function CallTable({ calls }: { readonly calls: readonly ModelCallUsage[] }) {
  const id = useId()
  const cells = 'py-1.5 pl-3 text-right tabular-nums'
  const replyCalls = calls.filter(({ kind }) => kind === 'reply')
  const tokens = (count: number | null) => (count === null ? 'unknown' : formatCount(count))
  return (
    <section>
      <h3 id={id} className="mb-1 text-sm font-medium text-muted">
        Each model call
      </h3>
      <table aria-labelledby={id} className="w-full text-sm">
        <thead className="text-xs text-muted">
          <tr>
            <th scope="col" className="py-1 text-left font-normal">
              Call
            </th>
            {['Input', 'Output', 'Cost'].map((name) => (
              <th key={name} scope="col" className="py-1 pl-3 text-right font-normal">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {calls.map((call, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- the calls of a reply never change
            <tr key={index}>
              <th scope="row" className="py-1.5 text-left font-normal">
                {call.kind === 'reply' ? replyCalls.indexOf(call) + 1 : kindNames[call.kind]}
              </th>
              <td className={cells}>{tokens(call.input_tokens)}</td>
              <td className={cells}>{tokens(call.output_tokens)}</td>
              <td className={cells}>{call.cost === null ? 'unknown' : formatCosts([call.cost])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const skeletonRows = ['Bot', 'Model', 'Input', 'Output', 'Cost', 'Time to first output', 'Duration']

function DetailsSkeleton() {
  return (
    <output className="block divide-y divide-line">
      <span className="sr-only">Loading the details</span>
      {skeletonRows.map((row) => (
        <span key={row} className="flex h-9 items-center justify-between">
          <Skeleton size="h-4 w-24" />
          <Skeleton size="h-4 w-16" />
        </span>
      ))}
    </output>
  )
}
