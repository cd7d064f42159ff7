import type { RunEvent } from '@yonder/contract/completion'

/** An event of the log; nothing for a heartbeat, which has no number. Its kind may be newer than this page. */
export function parseRunEvent(data: string): RunEvent | undefined {
  const event = JSON.parse(data) as Partial<RunEvent>
  return typeof event.seq === 'number' ? (event as RunEvent) : undefined
}
