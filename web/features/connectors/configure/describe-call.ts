import type { Approval, CallOutcome, ToolCallRecord } from '@yonder/contract/connector'
import { formatDuration, formatMoment } from '../../../lib/format-time.ts'
import { formatBytes } from '../../../lib/format-usage.ts'

const approvals: Readonly<Record<Approval, string>> = {
  once: 'allowed once',
  listed: 'on the list of allowed tools',
  no_list: 'every tool runs without asking',
  denied: 'denied by you',
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
 * Returns the texts for one call in the log. The facts are how it was approved, how long it took and how large its
 * result was, as far as these are known.
 */
export function describeCall({ approval, outcome, started_at, duration, bytes }: ToolCallRecord) {
  const facts = [
    approvals[approval],
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
