import { applyEvent, emptyRun } from '@yonder/contract/apply-event'
import type { RunEvent } from '@yonder/contract/completion'
import { startedEvent, wireReply } from '@yonder/contract/testing/messages'
import fc from 'fast-check'
import { setImmediate as turn } from 'node:timers/promises'
import { textOfContent } from '@yonder/contract/message-text'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Db } from '../../db/database.ts'
import type { RunEventRow } from '../../db/tables/tables.ts'
import { mergeInterval, RunLog } from './run-log.ts'
import type { RunChunk, RunRecorder } from './run-recorder.ts'

const started = startedEvent()

// The timers are fake, so that the result does not depend on the speed of the machine.
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }))
afterEach(() => vi.useRealTimers())

/** Runs everything that does not wait for a timer. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await turn()
}

async function pass(milliseconds: number): Promise<void> {
  vi.advanceTimersByTime(milliseconds)
  await settle()
}

/** An error while the database cannot be used. */
class Outage extends Error {}

/** Opens a log on a fake database. `steps` lists the commits and the shown batches in order. */
function openLog(
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

const eventsIn = (frames: string): RunEvent[] =>
  frames
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => JSON.parse(frame.slice(6)) as RunEvent)

describe('the interval between commits', () => {
  it.each([
    ['is short for few runs', { runs: 8, commitMs: 1 }, 30],
    ['grows with the runs', { runs: 20, commitMs: 1 }, 40],
    ['has a limit for many runs', { runs: 1_000, commitMs: 1 }, 55],
    ['grows with the time of a commit', { runs: 1, commitMs: 8 }, 40],
    ['has a limit for slow commits', { runs: 1, commitMs: 5_000 }, 55],
  ])('%s (§17.18)', (_what, load, intervalMs) => {
    expect(mergeInterval(load)).toBe(intervalMs)
  })
})

describe('the run log', () => {
  it('commits the events of all runs together, and shows them afterwards (§10.15)', async () => {
    const { log, steps, listen } = openLog()
    const a = log.open(1, started)
    const b = log.open(2, started)
    listen(a)
    listen(b)
    a.append('text', 'one')
    b.append('text', 'two')
    await settle()
    expect(steps).toEqual(['commit a2 b2', 'show a2', 'show b2'])
    a.append('text', 'three')
    b.append('text', 'four')
    a.append('text', ' and more')
    await pass(29)
    expect(steps.length).toBe(3)
    await pass(1)
    expect(steps.slice(3)).toEqual(['commit a3 b3', 'show a3', 'show b3'])
  })

  it('commits a text at once when the last commit was long enough ago (§17.18)', async () => {
    const { log, steps } = openLog()
    const run = log.open(1, started)
    run.append('text', 'first')
    await settle()
    await pass(30)
    run.append('text', ' second')
    await settle()
    expect(steps).toEqual(['commit a2', 'commit a3'])
    run.append('text', ' third')
    await settle()
    expect(steps.length).toBe(2)
    await pass(30)
    expect(steps.at(-1)).toBe('commit a4')
  })

  it('commits less often while many runs stream (§17.18)', async () => {
    const { log, steps } = openLog()
    const runs = Array.from({ length: 40 }, (_, index) => log.open(index + 1, started))
    const append = () => {
      for (const run of runs) run.append('text', 'x')
    }
    append()
    await settle()
    append()
    await pass(54)
    expect(steps.length).toBe(1)
    await pass(1)
    expect(steps.length).toBe(2)
  })

  it('commits the first text of a run alone, and the other runs when they are due (§17.18)', async () => {
    const { log, steps } = openLog()
    const a = log.open(1, started)
    const b = log.open(2, started)
    a.append('text', 'one')
    await settle()
    await pass(10)
    a.append('text', ' two')
    b.append('text', 'first')
    await settle()
    expect(steps).toEqual(['commit a2', 'commit b2'])
    await pass(19)
    expect(steps.length).toBe(2)
    await pass(1)
    expect(steps.at(-1)).toBe('commit a3')
  })

  it('commits the first text without delay, also after the name of the model (§17.18)', async () => {
    const { log, listen } = openLog()
    const run = log.open(1, started)
    const received = listen(run)
    run.add({ type: 'model', model: 'm' })
    run.append('text', 'first')
    await settle()
    expect(eventsIn(received.frames).map((event) => event.type)).toEqual(['model', 'text'])
  })

  it('pulls data at once until the first text of a reply, and before each commit from then on', async () => {
    const { log, rows, steps } = openLog()
    const a = log.open(1, started)
    const b = log.open(2, started)
    const source = (run: RunRecorder) => {
      const waiting: RunChunk[] = []
      const drain = vi.fn(() => waiting.splice(0))
      run.readFrom({ drain })
      return {
        drain,
        push: (...chunks: RunChunk[]) => {
          waiting.push(...chunks)
          run.onReadable(false)
        },
      }
    }
    const [sourceA, sourceB] = [source(a), source(b)]
    sourceA.push({ type: 'text', text: 'one' })
    sourceB.push({ type: 'text', text: 'two' })
    await settle()
    expect(steps).toEqual(['commit a2 b2'])
    sourceA.drain.mockClear()
    // The first reasoning is urgent, but a commit is due already, so no second one starts.
    sourceA.push({ type: 'text', text: ' more' }, { type: 'reasoning', text: 'hm' })
    sourceB.push({ type: 'text', text: ' too' })
    expect(sourceA.drain).not.toHaveBeenCalled()
    vi.advanceTimersByTime(30)
    sourceB.push({ type: 'text', text: ' late' })
    await settle()
    await pass(30)
    expect(sourceA.drain).toHaveBeenCalledTimes(1)
    expect(steps).toEqual(['commit a2 b2', 'commit a3 a4 b3', 'commit b4'])
    expect(rows[2]?.event).toContain(' more')
    a.add({ type: 'reply', assistant_message: wireReply() })
    sourceA.push({ type: 'text', text: 'next' })
    expect(sourceA.drain).toHaveBeenCalledTimes(2)
  })

  it('pulls data at once when the source is full, and the remaining data when the reply ends', async () => {
    const { log, rows } = openLog()
    const run = log.open(1, started)
    const waiting: RunChunk[] = [{ type: 'text', text: 'one' }]
    run.readFrom({ drain: () => waiting.splice(0) })
    run.onReadable(false)
    waiting.push({ type: 'text', text: ' two' })
    run.onReadable(true)
    expect(waiting).toEqual([])
    waiting.push({ type: 'text', text: ' three' })
    run.endReading()
    await run.flush()
    waiting.push({ type: 'text', text: ' never' })
    run.onReadable(true)
    await run.flush()
    expect(rows.map((row) => row.event).join()).toContain('one two three')
    expect(waiting).toHaveLength(1)
  })

  it('stores what belongs to an event before the event is shown (§10.15)', async () => {
    const { log, steps, listen } = openLog()
    const run = log.open(1, started)
    const received = listen(run)
    run.append('text', 'all')
    run.add({ type: 'ended', status: 'complete' }, async (_trx, state) => {
      steps.push(`store ${state.status} ${textOfContent(state.messages[1]?.content ?? '')}`)
    })
    await run.closed
    expect(steps).toEqual(['commit a2 a3', 'store complete all', 'show a3'])
    expect(received.isEnded).toBe(true)
    expect(received.frames.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('stores an attached write with the next event that stores something, and not with text (§27.1)', async () => {
    const { log, steps, listen } = openLog()
    const run = log.open(1, started)
    listen(run)
    run.attach(async () => void steps.push('store the prompt'))
    run.append('text', 'all')
    await run.flush()
    expect(steps).toEqual(['commit a2', 'show a2'])
    run.add({ type: 'ended', status: 'complete' }, async () => void steps.push('store the end'))
    await run.closed
    expect(steps.slice(2)).toEqual(['commit a3', 'store the end', 'store the prompt', 'show a3'])
  })

  it('resolves a flush when all events are committed and shown, or when the run is lost', async () => {
    let ownedRunIds: ReadonlySet<number> = new Set([1])
    const { log, steps, listen } = openLog(() => ownedRunIds)
    const run = log.open(1, started)
    listen(run)
    await run.flush()
    run.append('text', 'one')
    run.add({ type: 'usage', usage: { input_tokens: 1, output_tokens: 1 } })
    await run.flush()
    expect(steps).toEqual(['commit a2 a3', 'show a3'])
    expect(run.state.messages[1]?.content).toBe('one')
    ownedRunIds = new Set()
    run.append('text', 'two')
    await run.flush()
    expect(run.state.messages[1]?.content).toBe('one')
    await run.flush()
  })

  it('ignores events after the end of a run', async () => {
    const { log, listen } = openLog()
    const run = log.open(1, started)
    const received = listen(run)
    run.add({ type: 'ended', status: 'stopped' })
    run.add({ type: 'mcp_status', status: 'connected', server: 's', message: 'late' })
    await run.closed
    expect(eventsIn(received.frames).map((event) => event.type)).toEqual(['ended'])
  })

  it('shows no event of a run that another node has taken over, and all events of other runs', async () => {
    const { log, listen } = openLog(() => new Set([2]))
    const a = log.open(1, started)
    const b = log.open(2, started)
    const [receivedA, receivedB] = [listen(a), listen(b)]
    a.append('text', 'secret')
    b.append('text', 'fine')
    await settle()
    expect(receivedA).toEqual({ frames: '', isEnded: false, lost: 'interrupted' })
    expect(a.isRunning).toBe(false)
    expect(eventsIn(receivedB.frames).length).toBe(1)
  })

  it('retries a failed commit for each run separately, in the same order', async () => {
    let failures = 3
    const { log, listen, rows, onError } = openLog((events) => {
      if (events.some((event) => event.run_id === 1) && failures-- > 0) throw new Error('disk full')
      return new Set(events.map((event) => event.run_id))
    })
    const bad = log.open(1, started)
    const good = log.open(2, started)
    const [receivedBad, receivedGood] = [listen(bad), listen(good)]
    bad.append('text', 'one ')
    good.append('text', 'fine')
    await settle()
    expect(eventsIn(receivedGood.frames).length).toBe(1)
    expect(receivedBad.frames).toBe('')
    bad.append('text', 'two')
    await pass(250)
    expect(eventsIn(receivedBad.frames).map((event) => event.seq)).toEqual([2, 3])
    expect(rows.filter((row) => row.run_id === 1).map((row) => row.seq)).toEqual([2, 3])
    expect(onError).toHaveBeenCalled()
  })

  it('continues all runs after an outage of four minutes, without a gap or a repetition (§22.15)', async () => {
    let isAway = true
    const { log, listen, rows, onError } = openLog((events) => {
      if (isAway) throw new Outage()
      return new Set(events.map((event) => event.run_id))
    })
    const runs = [log.open(1, started), log.open(2, started)]
    const received = runs.map((run) => listen(run))
    for (const run of runs) run.append('text', 'before ')
    // The commit has begun, and fails afterwards.
    await turn()
    for (const run of runs) run.append('text', 'during ')
    await settle()
    for (let seconds = 0; seconds < 240; seconds += 1) await pass(1_000)
    for (const run of runs) run.append('text', 'after')
    expect(received.map(({ frames, lost }) => frames + lost)).toEqual(['', ''])
    isAway = false
    await pass(250)
    for (const { frames, lost } of received) {
      expect(lost).toBe('')
      expect(eventsIn(frames).map(({ seq }) => seq)).toEqual([2, 3])
    }
    for (const run of runs) expect(run.state.messages[1]?.content).toBe('before during after')
    expect(rows).toHaveLength(4)
    expect(onError).toHaveBeenCalled()
  })

  it('continues each of several hundred runs after an outage (§22.15)', async () => {
    let isAway = true
    const { log } = openLog((events) => {
      if (isAway) throw new Outage()
      return new Set(events.map((event) => event.run_id))
    })
    const runs = Array.from({ length: 700 }, (_, index) => log.open(index + 1, started))
    for (const run of runs) run.append('text', 'text')
    await settle()
    isAway = false
    for (let retries = 0; retries < 3; retries++) await pass(250)
    for (let turns = 0; turns < 100; turns++) await settle()
    expect(runs.filter((run) => run.state.messages[1]?.content !== 'text')).toEqual([])
  })

  it('ends a run whose events the database refuses for eight seconds, and keeps the others', async () => {
    const { log, listen } = openLog((events) => {
      if (events.some(({ run_id }) => run_id === 1)) throw new Error('refused')
      return new Set(events.map((event) => event.run_id))
    })
    const [bad, good] = [log.open(1, started), log.open(2, started)]
    const [receivedBad, receivedGood] = [listen(bad), listen(good)]
    bad.append('text', 'one')
    good.append('text', 'fine')
    await settle()
    for (let seconds = 0; seconds < 9; seconds += 1) await pass(1_000)
    expect(receivedBad).toEqual({ frames: '', isEnded: false, lost: 'storage_full' })
    expect(eventsIn(receivedGood.frames).length).toBe(1)
    await bad.closed
  })

  it('executes no write twice when the connection is lost after the database has committed (§22.15)', async () => {
    let isCut = true
    const { log, listen, rows } = openLog(undefined, () => {
      if (!isCut) return
      isCut = false
      throw new Outage()
    })
    const run = log.open(1, started)
    const received = listen(run)
    const write = vi.fn(async () => undefined)
    run.append('text', 'all')
    run.add({ type: 'ended', status: 'complete' }, write)
    await settle()
    expect(received.frames).toBe('')
    await pass(250)
    await run.closed
    expect(write).toHaveBeenCalledTimes(1)
    expect(rows.map(({ seq }) => seq)).toEqual([2, 3])
    expect(received).toMatchObject({ isEnded: true, lost: '' })
  })

  it('frames only the events after the given one', async () => {
    const { log, listen } = openLog()
    const run = log.open(1, started)
    const late = listen(run, 3, true)
    run.add({ type: 'model', model: 'm' })
    run.append('text', 'one')
    run.append('reasoning', 'two')
    await settle()
    expect(late.frames).toMatch(/^id: 4\ndata: \{"type":"reasoning","seq":4,/)
  })

  it('yields the same reply however the text was split', async () => {
    const piece = fc.record({
      kind: fc.constantFrom('text' as const, 'reasoning' as const),
      text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      pause: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const { log, rows, listen } = openLog()
        const run = log.open(1, started)
        const received = listen(run)
        for (const { kind, text, pause } of pieces) {
          run.append(kind, text)
          if (pause) await pass(50)
        }
        run.add({ type: 'ended', status: 'complete' })
        await run.closed
        const joined = (kind: string) => pieces.map((p) => (p.kind === kind ? p.text : '')).join('')
        const shown = eventsIn(received.frames).reduce(applyEvent, applyEvent(emptyRun, started))
        expect(shown.messages[1]?.content).toBe(joined('text'))
        expect(shown.messages[1]?.reasoning ?? '').toBe(joined('reasoning'))
        expect(shown).toEqual(run.state)
        expect(rows.map((row) => JSON.parse(row.event) as RunEvent)).toEqual(eventsIn(received.frames))
        expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 2))
      }),
      { numRuns: 30 },
    )
  })
})
