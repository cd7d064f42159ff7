import { setImmediate as turn } from 'node:timers/promises'
import type { RunEvent } from '@yonder/contract/completion'
import { vi } from 'vitest'
import { RunLog } from '../../completions/log/run-log.ts'
import type { RunRecorder } from '../../completions/log/run-recorder.ts'
import type { Db } from '../../db/database.ts'
import type { RunEventRow } from '../../db/tables/tables.ts'

/** Runs what does not wait for a timer: twenty turns of the event loop are enough for it. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await turn()
}

/** Advances the fake timers, and runs what they start. */
export async function advanceTime(milliseconds: number): Promise<void> {
  vi.advanceTimersByTime(milliseconds)
  await settle()
}

/** An error while the database cannot be used. */
export class Outage extends Error {}

/** Opens a log on a fake database. `steps` lists the commits and the shown batches in order. */
export function openLog(
  append?: (events: readonly RunEventRow[]) => ReadonlySet<number>,
  afterCommit: () => void = () => undefined,
) {
  const steps: string[] = []
  const rows: RunEventRow[] = []
  const onError = vi.fn()
  const log = new RunLog({
    db: {} as Db,
    append: async (_db, events) => {
      await turn()
      const live = append?.(events) ?? new Set(events.map((event) => event.run_id))
      steps.push(`commit ${events.map(({ run_id, seq }) => `${'?ab'[run_id]}${seq}`).join(' ')}`)
      rows.push(...events)
      return live
    },
    isStored: async (_db, event) =>
      rows.some((row) => row.run_id === event.run_id && row.seq === event.seq && row.event === event.event),
    isOutage: (error) => error instanceof Outage,
    transaction: async (work) => {
      await work({} as Db)
      afterCommit()
    },
    onError,
  })
  const listen = (recorder: RunRecorder, after = 1, numbered = false) => {
    const received = { frames: '', isEnded: false, lost: '' }
    recorder.subscribe({
      onBatch: (batch) => {
        steps.push(`show ${'?ab'[recorder.runId]}${recorder.state.seq}`)
        received.frames += batch.after(after).frames(numbered)
        received.isEnded = batch.isEnd
      },
      onLost: (error) => {
        received.lost = error.code
      },
    })
    return received
  }
  return { log, steps, rows, listen, onError }
}

/** The events in frames that have no numbers. */
export const eventsIn = (frames: string): RunEvent[] =>
  frames
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => JSON.parse(frame.slice(6)) as RunEvent)
