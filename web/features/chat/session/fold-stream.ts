import type { RunState } from '@yonder/contract/apply-event'
import type { RunEvent } from '@yonder/contract/completion'
import { readSse } from '../../../lib/read-sse.ts'
import type { ConnectedStream } from '../../../lib/connect-stream.ts'
import { advanceRun } from './advance-run.ts'
import { parseRunEvent } from './parse-run-event.ts'

/** An event came whose predecessor did not. */
export class MissedEventError extends Error {}

/**
 * Folds the events of a stream into a run and shows each state to `onChange`. Returns when the run has ended or the
 * stream is over; throws when the connection breaks, an event is missing or the reply could not be stored.
 */
export async function foldStream(
  { response, heard }: ConnectedStream,
  start: RunState,
  onChange: (run: RunState, event: RunEvent) => void,
): Promise<RunState> {
  let run = start
  for await (const data of readSse(response)) {
    heard()
    const event = parseRunEvent(data)
    if (event === undefined) continue
    if (event.seq > run.seq + 1) throw new MissedEventError(`Event ${event.seq} came after event ${run.seq}`)
    const next = advanceRun(run, event)
    if (next === run) continue
    run = next
    onChange(run, event)
    if (run.status !== 'running') return run
  }
  return run
}
