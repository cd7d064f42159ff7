import { callExpiryMs } from '@yonder/contract/lib/call-limits'
import type { CallDecision } from '@yonder/contract/tool-call'
import { parseCall } from '../../chats/tool-call-store.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import { AppError } from '../../lib/app-error.ts'

type CallRow = Pick<MessageRow, 'call' | 'call_state' | 'unix_timestamp'>

/** Returns since when a call needs approval, in milliseconds since 1970. Earlier versions did not store it. */
export function askedAtOf({ call, unix_timestamp }: CallRow): number {
  return (call === null ? undefined : parseCall(call).askedAt) ?? unix_timestamp
}

/** Whether a call has waited for so long that it is not made any more, even if this is not stored yet. */
export function isExpired(row: CallRow, now: number): boolean {
  return row.call_state === 'waiting' && now - askedAtOf(row) >= callExpiryMs
}

/** The refusal of a decision about a call that has expired. */
export function expiredCall(): AppError {
  const hours = callExpiryMs / 3_600_000
  return new AppError(
    'conflict',
    `This call was not decided within ${hours} hours, so it is not made any more. Reload the page.`,
  )
}

/** The refusal of a decision about a call that was decided already: says how, when and on which device. */
export function alreadyDecided({ call, call_state }: CallRow): AppError {
  const decision = call === null ? undefined : parseCall(call).decision
  if (decision?.kind === 'expired') return expiredCall()
  const end = decision === undefined ? '' : describe(decision)
  switch (call_state) {
    case 'running':
      return refusal(`This call was already allowed${end}, and is running. Reload the page to follow it.`)
    case 'answered':
      return decision?.kind === 'denied'
        ? refusal(`This call was already denied${end}. Reload the page.`)
        : refusal(`This call was already allowed${end}. Reload the page to see its result.`)
    case 'denied':
      return refusal(`This call was already denied${end}. Reload the page.`)
    default:
      return notWaiting()
  }
}

/** The refusal of a decision about a call that does not exist, or never needed approval. */
export function notWaiting(): AppError {
  return refusal('No such call needs approval. Reload the page.')
}

function refusal(reason: string): AppError {
  return new AppError('conflict', reason)
}

/** Such as ' at 2026-11-30 14:02 UTC on Chrome on Android'. */
function describe({ at, on }: CallDecision): string {
  const [day, time] = new Date(at).toISOString().split('T')
  return ` at ${day} ${time?.slice(0, 5)} UTC${on === undefined ? '' : ` on ${on}`}`
}

/** Explains to the model that the user denied a call, and why. */
export function explainDenial(reason: string | undefined): string {
  return reason === undefined
    ? 'This call was denied by the user.'
    : `This call was denied by the user, who wrote: ${reason}`
}

/** Explains to the model that a call has expired. */
export const expiredText = `This call was not decided within ${callExpiryMs / 3_600_000} hours, so it was not made.`
