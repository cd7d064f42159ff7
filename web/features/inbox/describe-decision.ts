import type { Approval } from '@yonder/contract/tool-call'
import { formatDay } from '../../lib/format-time.ts'
import type { Decision } from './inbox-entries.ts'

/** What became of a call, as the record of calls says it. */
export const approvalNames: Readonly<Record<Approval, string>> = {
  once: 'Allowed once',
  listed: 'Allowed always',
  granted: 'Allowed by a permission',
  no_list: 'Allowed',
  denied: 'Denied',
  expired: 'Not decided',
}

/** What the user has decided on this page. */
export const decisionNames: Readonly<Record<Decision, string>> = {
  allowed: 'Allowed',
  allowed_edited: 'Allowed, edited',
  denied: 'Denied',
  denied_with_reason: 'Denied, with a reason',
}

/** Names a day of the browser's time zone. */
export function nameDay(time: Date, now = new Date()): string {
  const day = formatDay(time)
  if (day === formatDay(now)) return 'Today'
  // The constructor knows the days of 23 and 25 hours.
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  return day === formatDay(yesterday) ? 'Yesterday' : day
}
