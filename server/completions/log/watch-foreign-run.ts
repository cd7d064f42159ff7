import type { CompletionDeps } from '../completion-deps.ts'
import { readStanding } from './run-status.ts'
import type { WrittenEvent } from './run-recorder.ts'
import { listEvents } from './run-store.ts'

/** Events read from the log at once. */
const pieceSize = 32
/** Milliseconds after which a run of another process is looked at when no news came. */
const pollTime = 400

export interface ForeignWatch {
  readonly runId: number
  /** The last event that is known. */
  readonly after: number
  readonly onEvents: (events: readonly WrittenEvent[]) => void
  readonly signal: AbortSignal
}

/** Reads the log of a run that another process writes, as it grows, to its end; once for all who listen. */
export async function watchForeignRun(
  deps: Omit<CompletionDeps, 'feed'>,
  watch: ForeignWatch,
): Promise<void> {
  const { runId, onEvents, signal } = watch
  let { after } = watch
  let readAgain = false
  while (!signal.aborted) {
    const rows = await listEvents(deps.database.db, runId, after, pieceSize)
    if (signal.aborted) return
    const last = rows.at(-1)
    if (last === undefined) {
      const state = await readStanding(deps, runId, after)
      if (state === 'ended' || state === 'gone' || (state === 'more' && readAgain)) return
      readAgain = state === 'more'
      if (state === 'waiting') await deps.news.wait(runId, pollTime)
      continue
    }
    readAgain = false
    onEvents(rows.map(({ seq, event }) => ({ seq, json: event, last: event.startsWith('{"type":"ended"') })))
    after = last.seq
  }
}
