import type { Message } from '@yonder/contract/message'
import type { CallDecision, GrantLimits, ToolOutcomeStatus } from '@yonder/contract/tool-call'
import { formatClock, formatDay, formatDuration, formatMoment } from '../../../lib/format-time.ts'

/** The state of a tool call as the user sees it. `blocked`: it failed because its tool is blocked. */
export type CallState = 'waiting' | 'running' | 'blocked' | ToolOutcomeStatus

/**
 * Returns the state of the call that `reply` makes. `isLast` is true when no message follows the reply: a user who sent
 * a message instead of deciding has denied the call.
 */
export function readCallState(reply: Message, result: Message | undefined, isLast: boolean): CallState {
  if (result !== undefined) return result.outcome?.blocked ? 'blocked' : (result.outcome?.status ?? 'done')
  switch (reply.call?.state) {
    case 'waiting':
      return isLast ? 'waiting' : 'denied'
    case 'running':
    case undefined:
      return 'running'
    case 'answered':
      return 'done'
    case 'denied':
      return 'denied'
  }
}

/** The label of each state. */
export const callStateLabels: Readonly<Record<CallState, string>> = {
  waiting: 'Needs approval',
  running: 'Running',
  done: 'Done',
  tool_error: 'Failed',
  failed: 'Failed',
  blocked: 'Blocked',
  timed_out: 'Timed out',
  stopped: 'Stopped',
  denied: 'Denied',
  authorization_needed: 'Needs authorization',
  interrupted: 'Interrupted',
}

const unknownOutcome = 'The tool may or may not have finished.'

/** A sentence about each state of a call that did not succeed. */
export const callStateExplanations: Readonly<Partial<Record<CallState, string>>> = {
  tool_error: 'The tool reported an error.',
  failed: 'The call failed.',
  timed_out: `The tool took too long. ${unknownOutcome}`,
  stopped: `The call was stopped. ${unknownOutcome}`,
  denied: 'You denied this call. It was not run.',
  authorization_needed: 'The connector needs your authorization before this tool can be used.',
  interrupted: `The call was interrupted. ${unknownOutcome}`,
}

/**
 * Returns what the line of a call says about its state. `durationMs` is the time that the tool took; null if it was not
 * measured.
 */
export function describeCall(
  { call }: Pick<Message, 'call'>,
  state: CallState,
  durationMs: number | null,
): string {
  const decision = call?.decision
  if (state === 'denied' && decision !== undefined)
    return decision.kind === 'expired'
      ? 'Not decided in 24 hours'
      : `Denied by you, ${formatWhen(decision.at)}`
  if (state !== 'done') return callStateLabels[state]
  const took = durationMs === null ? [] : [formatDuration(durationMs)]
  if (call?.edited !== undefined) return ['Edited by you', ...took].join(', ')
  if (decision?.kind === 'granted') return [`Allowed ${describeGrant(decision.grant)}`, ...took].join(', ')
  return took[0] ?? callStateLabels.done
}

/** Returns how far a grant goes that allowed a call, for example 'in this chat' or 'until 15:10'. */
function describeGrant(grant: GrantLimits = {}): string {
  const { chat_id, ends_at, rule, bot } = grant
  if (rule !== undefined)
    return `with ${rule.argument} ${rule.test === 'equals' ? '=' : 'beginning with'} ${shorten(rule.value)}`
  if (chat_id !== undefined) return 'in this chat'
  if (ends_at !== undefined) return `until ${formatWhen(Date.parse(ends_at))}`
  return bot === undefined || bot === null ? 'by you before' : `for ${bot}`
}

const maxValueChars = 40
const shorten = (text: string) => (text.length > maxValueChars ? `${text.slice(0, maxValueChars)}...` : text)

/** Returns the sentence for a user whose decision came after another one, for example on another device. */
export function describeEarlierDecision({ kind, at, on }: CallDecision): string {
  if (kind === 'expired') return 'Nobody decided about this call in 24 hours. It counts as denied.'
  const what = kind === 'denied' ? 'denied' : 'allowed'
  return `Already ${what} at ${formatWhen(at)}${on === undefined ? '' : ` in ${on}`}.`
}

/** Formats a moment as hour and minute if it is of today, else also with its day. `at` is in ms since 1970. */
function formatWhen(at: number): string {
  const time = new Date(at)
  return formatDay(time) === formatDay(new Date()) ? formatClock(time) : formatMoment(time)
}
