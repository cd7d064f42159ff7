import type { CallOutcome, Connector, ToolCallRecord } from '@yonder/contract/connector'
import type { Approval } from '@yonder/contract/tool-call'
import { ChevronRight } from 'lucide-react'
import { Fragment, useState } from 'react'
import { useCallLog } from '../../../data/connectors.ts'
import { readReason } from '../../../lib/api/api-error.ts'
import { formatDuration, formatMoment } from '../../../lib/format-time.ts'
import { formatBytes } from '../../../lib/format-usage.ts'
import { ShowMoreButton } from '../../../ui/button/show-more-button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { ToolName } from '../../../ui/inert-text.tsx'

/** The log of a connector's tool calls. It is collapsed at first and loaded when the user opens it. */
export function CallLog({ connector }: { readonly connector: Connector }) {
  const [open, setOpen] = useState(false)
  return (
    <details
      className="group border-t border-line pt-4"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="touch-target -mx-1 flex w-fit list-none items-center gap-1 rounded-control px-1 text-sm font-medium text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight size={14} aria-hidden className="transition-transform group-open:rotate-90" />
        Call log
      </summary>
      {open && <Calls name={connector.name} />}
    </details>
  )
}

function Calls({ name }: { readonly name: string }) {
  const { calls, error, hasMore, isLoadingMore, loadMore } = useCallLog(name)
  if (calls === undefined)
    return (
      <output className="mt-2 block text-sm text-muted">
        {error === undefined ? 'Loading calls...' : `Error loading calls: ${readReason(error)}`}
      </output>
    )
  if (calls.length === 0)
    return <p className="mt-2 text-sm text-muted">No tool of this connector has been called yet.</p>
  return (
    <>
      <ul aria-label="Calls" className="mt-1 divide-y divide-line">
        {calls.map((call) => {
          const { outcome, isFailure, time, facts } = describeCall(call)
          return (
            <li key={call.id} tabIndex={-1} className="py-2 text-xs">
              <p className="flex items-baseline justify-between gap-3">
                <bdi className="min-w-0 font-mono leading-5 wrap-anywhere">
                  <ToolName>{call.tool}</ToolName>
                </bdi>
                <span
                  className={classNames('shrink-0 font-medium', isFailure ? 'text-danger' : 'text-muted')}
                >
                  {outcome}
                </span>
              </p>
              <p className="text-muted tabular-nums">
                <time dateTime={call.started_at}>{time}</time>
                {facts.map((fact) => (
                  // No line break between a number and its unit.
                  <Fragment key={fact}>
                    {' · '}
                    <span className="whitespace-nowrap">{fact}</span>
                  </Fragment>
                ))}
              </p>
            </li>
          )
        })}
      </ul>
      {hasMore && (
        <ShowMoreButton busy={isLoadingMore} onPress={loadMore}>
          Show more
        </ShowMoreButton>
      )}
    </>
  )
}

const approvals: Readonly<Record<Approval, string>> = {
  once: 'allowed once',
  listed: 'on the list of allowed tools',
  no_list: 'every tool runs without asking',
  granted: 'allowed by a permission',
  denied: 'denied by you',
  expired: 'not decided in time',
}

const outcomes: Readonly<Record<CallOutcome, string>> = {
  started: 'Not finished',
  done: 'Done',
  tool_error: 'Tool error',
  failed: 'Failed',
  timed_out: 'Timed out',
  stopped: 'Stopped',
  denied: 'Denied',
}

/**
 * Returns the texts for one call in the log. The facts are how it was approved and where, whether its arguments were
 * edited, how long it took and how large its result was, as far as these are known.
 */
function describeCall(call: ToolCallRecord) {
  const { approval, outcome, started_at, duration, bytes, decided_on: place, edited } = call
  const facts = [
    place ? `${approvals[approval]} in ${place}` : approvals[approval],
    edited ? 'edited by you' : undefined,
    duration === null ? undefined : formatDuration(duration),
    bytes === null ? undefined : formatBytes(bytes),
  ]
  return {
    outcome: outcomes[outcome],
    isFailure: outcome === 'tool_error' || outcome === 'failed' || outcome === 'timed_out',
    time: formatMoment(new Date(started_at)),
    facts: facts.filter((fact) => fact !== undefined),
  }
}
