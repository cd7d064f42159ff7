import type { RunEvent } from '@yonder/contract/completion'
import type { ErrorDetail } from '@yonder/contract/error'

/** The reply could not be stored any further, nor that it ended: so it is said outside of its numbered events. */
export class UnstoredReplyError extends Error {}

/**
 * An event of the log; nothing for a heartbeat, which has no number. Its kind may be newer than this page.
 * @throws UnstoredReplyError
 */
export function parseRunEvent(data: string): RunEvent | undefined {
  const event = JSON.parse(data) as Partial<RunEvent> & { readonly error?: ErrorDetail }
  if (typeof event.seq === 'number') return event as RunEvent
  if (event.error?.code === 'storage_full') throw new UnstoredReplyError(event.error.message)
  return undefined
}
