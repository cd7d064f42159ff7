import type { UsageReport } from '@yonder/contract/usage/usage-report'
import { ChartColumn, Download } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import useSWR from 'swr'
import { useFileSpace } from '../../data/files.ts'
import { ApiError, readReason } from '../../lib/api/api-error.ts'
import { readErrorBody } from '../../lib/api/error-body.ts'
import { useAction } from '../../lib/api/use-action.ts'
import { saveFile } from '../../lib/files/save-file.ts'
import { formatCosts, formatCount, formatLimit } from '../../lib/format-usage.ts'
import { Button } from '../../ui/button/button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { NamedOptions, Select } from '../../ui/form/select.tsx'
import { SettingsGroup, SettingsHeader } from '../../ui/form/settings-list.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { Skeleton } from '../../ui/states/progress.tsx'
import { EmptyState } from '../../ui/states/states.tsx'
import { UsageChart } from './usage-chart.tsx'
import { daysOfRange, listDays, listMonths, rangeNames, type UsageRange } from './usage-range.ts'
import { formatTokens, UsageTable } from './usage-table.tsx'

/** The Usage section of settings: what the user's bots used and cost in a range of months. */
export function UsageSection() {
  const title = useId()
  const [range, setRange] = useState<UsageRange>('this-month')
  const query = toQuery(range)
  const { data, error, mutate } = useSWR<UsageReport, Error>(`/api/usage?${query}`)
  const space = useFileSpace(true)
  return (
    <section aria-labelledby={title}>
      <SettingsHeader id={title} title="Usage">
        <Select
          aria-label="Range"
          value={range}
          onChange={({ target }) => setRange(target.value as UsageRange)}
        >
          <NamedOptions names={rangeNames} />
        </Select>
        <DownloadButton query={query} />
      </SettingsHeader>
      <div className="flex flex-col gap-6">
        {data !== undefined ? (
          <Report report={data} isYear={range === 'twelve-months'} />
        ) : error === undefined ? (
          <ReportSkeleton />
        ) : (
          <ErrorState title="The usage could not be loaded" onRetry={() => void mutate()}>
            {readReason(error)}
          </ErrorState>
        )}
        {space !== undefined && (
          <p className="text-sm text-muted">
            Your files take {formatLimit(space.used)} of {formatLimit(space.quota)}.
          </p>
        )}
      </div>
    </section>
  )
}

function toQuery(range: UsageRange): string {
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return new URLSearchParams({ ...daysOfRange(range, new Date()), time_zone }).toString()
}

/** Downloads the range as CSV. A plain link would not send the access token. */
function DownloadButton({ query }: { readonly query: string }) {
  const download = useAction({
    async call(api, path: string) {
      const response = await api.request(path)
      if (response === undefined || response.ok) return response?.blob()
      throw new ApiError(`API error: ${response.status}`, response.status, await readErrorBody(response))
    },
    update: (_update, file) =>
      saveFile(file, `yonder-usage-${new URLSearchParams(query).get('from') ?? ''}.csv`),
    failure: (error) => `Failed to download the usage: ${readReason(error)}`,
  })
  return (
    <Button busy={download.pending} onClick={() => void download.run(`/api/usage.csv?${query}`)}>
      <Download size={16} aria-hidden />
      CSV
      <span className="sr-only">of this range</span>
    </Button>
  )
}

function Report({ report, isYear }: { readonly report: UsageReport; readonly isYear: boolean }) {
  const { total, days, months, bots } = report
  if (total.calls === 0)
    return (
      <EmptyState icon={<ChartColumn size={22} aria-hidden />} title="No usage in this range">
        The usage of every reply is recorded. Choose another range, or send a message.
      </EmptyState>
    )
  const byTime = isYear
    ? months.map(({ month, ...totals }) => ({ label: month, ...totals }))
    : days.map(({ day, ...totals }) => ({ label: day, ...totals }))
  const totalsByLabel = new Map(byTime.map((totals) => [totals.label, totals]))
  const bars = (isYear ? listMonths(report) : listDays(report)).map((label) => ({
    label,
    totals: totalsByLabel.get(label),
  }))
  const unit = isYear ? 'month' : 'day'
  return (
    <>
      <Totals report={report} />
      <div className="flex flex-col gap-3">
        <UsageChart unit={unit} bars={bars} />
        <Disclosure label={`Show each ${unit}`}>
          <UsageTable
            name={`Usage by ${unit}`}
            firstColumn={isYear ? 'Month' : 'Day'}
            rows={byTime.toReversed()}
          />
        </Disclosure>
      </div>
      <SettingsGroup title="Bots">
        <UsageTable
          name="Usage by bot"
          firstColumn="Bot"
          rows={bots.map(({ bot, ...totals }) => ({ label: bot, ...totals }))}
        />
      </SettingsGroup>
    </>
  )
}

/** The sums of the range, and for how many calls they are incomplete. */
function Totals({ report: { total } }: { readonly report: UsageReport }) {
  const { calls, uncounted_calls, unpriced_calls, costs } = total
  const gaps = [
    ...(uncounted_calls > 0
      ? [`The tokens of ${describeCalls(uncounted_calls, calls)} were not fully counted.`]
      : []),
    ...(unpriced_calls > 0 && costs.length > 0
      ? [`The cost of ${describeCalls(unpriced_calls, calls)} is not known and not included.`]
      : []),
  ]
  return (
    <div className="flex flex-col gap-3">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-4">
        <Figure name="Cost">{formatCosts(costs)}</Figure>
        <Figure
          name="Input tokens"
          part={total.cached_tokens && `${formatCount(total.cached_tokens)} cached`}
        >
          {formatTokens(total, total.input_tokens)}
        </Figure>
        <Figure
          name="Output tokens"
          part={total.reasoning_tokens && `${formatCount(total.reasoning_tokens)} reasoning`}
        >
          {formatTokens(total, total.output_tokens)}
        </Figure>
        <Figure name="Model calls">{formatCount(calls)}</Figure>
      </dl>
      {gaps.length > 0 && <p className="text-sm text-muted">{gaps.join(' ')}</p>}
      {costs.length === 0 && uncounted_calls < calls && (
        <p className="text-sm text-muted">
          No price was known for {uncounted_calls > 0 ? 'the other' : 'these'} calls. The operator of this
          server can set prices for later calls.
        </p>
      )}
    </div>
  )
}

function describeCalls(count: number, total: number): string {
  return `${formatCount(count)} of ${formatCount(total)} ${total === 1 ? 'call' : 'calls'}`
}

interface FigureProps {
  readonly name: string
  readonly part?: string | 0
  readonly children: ReactNode
}

function Figure({ name, part, children }: FigureProps) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="text-lg font-semibold break-words tabular-nums">
        {children}
        {typeof part === 'string' && <span className="block text-xs font-normal text-muted">{part}</span>}
      </dd>
    </div>
  )
}

function ReportSkeleton() {
  return (
    <output className="flex flex-col gap-6">
      <span className="sr-only">Loading the usage</span>
      <span className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-4">
        {['Cost', 'Input', 'Output', 'Calls'].map((name) => (
          <span key={name} className="flex h-13 flex-col gap-2">
            <Skeleton size="h-4 w-20" />
            <Skeleton size="h-5 w-16" />
          </span>
        ))}
      </span>
      <Skeleton shape="block" size="h-48" />
      <Skeleton shape="block" size="h-32" />
    </output>
  )
}
