import { applyEvent, emptyRun } from '@yonder/contract/apply-event'
import type { RunEvent } from '@yonder/contract/completion'
import { textOfContent } from '@yonder/contract/message-text'
import { startedEvent, wireReply } from '@yonder/contract/testing/messages'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { settle, advanceTime, openLog, eventsIn } from '../../testing/chat/open-run-log.ts'
import type { RunChunk } from '../run.ts'
import { mergeInterval } from './run-log.ts'
import type { RunRecorder } from './run-recorder.ts'

const started = startedEvent()
const connecting = {
  type: 'mcp_status',
  status: 'connecting',
  server: 'a',
  message: 'Connecting to a',
} as const

// The timers are fake, so that the result does not depend on the speed of the machine.
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }))
afterEach(() => vi.useRealTimers())

describe('the interval between commits', () => {
  it.each([
    ['is short for few runs', { runs: 8, commitMs: 1 }, 30],
    ['grows with the runs', { runs: 20, commitMs: 1 }, 40],
    ['has a limit for many runs', { runs: 1_000, commitMs: 1 }, 55],
    ['grows with the time of a commit', { runs: 1, commitMs: 8 }, 40],
    ['has a limit for slow commits', { runs: 1, commitMs: 5_000 }, 55],
  ])('%s', (_what, load, intervalMs) => {
    expect(mergeInterval(load)).toBe(intervalMs)
  })
})

describe('the run log', () => {
  it('commits the events of all runs together, and shows them afterwards', async () => {
    const { log, steps, listen } = openLog()
    const a = log.open({ id: 1, chatId: 'chat', started })
    const b = log.open({ id: 2, chatId: 'chat', started })
    listen(a)
    listen(b)
    a.append('text', 'one')
    b.append('text', 'two')
    await settle()
    expect(steps).toEqual(['commit a2 b2', 'show a2', 'show b2'])
    a.append('text', 'three')
    b.append('text', 'four')
    a.append('text', ' and more')
    await advanceTime(29)
    expect(steps.length).toBe(3)
    await advanceTime(1)
    expect(steps.slice(3)).toEqual(['commit a3 b3', 'show a3', 'show b3'])
  })

  it('writes for the chats in the order in which others lock them, whichever began first', async () => {
    const { log } = openLog()
    const written: string[] = []
    for (const [id, chatId] of ['b', 'C', 'a', 'B'].entries())
      log.open({ id: id + 1, chatId, started }).add(connecting, async () => void written.push(chatId))
    await advanceTime(30)
    expect(written).toEqual(['B', 'C', 'a', 'b'])
  })

  it('commits a text at once when the last commit was long enough ago', async () => {
    const { log, steps } = openLog()
    const run = log.open({ id: 1, chatId: 'chat', started })
    run.append('text', 'first')
    await settle()
    await advanceTime(30)
    run.append('text', ' second')
    await settle()
    expect(steps).toEqual(['commit a2', 'commit a3'])
    run.append('text', ' third')
    await settle()
    expect(steps.length).toBe(2)
    await advanceTime(30)
    expect(steps.at(-1)).toBe('commit a4')
  })

  it('commits less often while many runs stream', async () => {
    const { log, steps } = openLog()
    const runs = Array.from({ length: 40 }, (_, index) =>
      log.open({ id: index + 1, chatId: 'chat', started }),
    )
    const append = () => {
      for (const run of runs) run.append('text', 'x')
    }
    append()
    await settle()
    append()
    await advanceTime(54)
    expect(steps.length).toBe(1)
    await advanceTime(1)
    expect(steps.length).toBe(2)
  })

  it('commits the first text of a run alone, and the other runs when they are due', async () => {
    const { log, steps } = openLog()
    const a = log.open({ id: 1, chatId: 'chat', started })
    const b = log.open({ id: 2, chatId: 'chat', started })
    a.append('text', 'one')
    await settle()
    await advanceTime(10)
    a.append('text', ' two')
    b.append('text', 'first')
    await settle()
    expect(steps).toEqual(['commit a2', 'commit b2'])
    await advanceTime(19)
    expect(steps.length).toBe(2)
    await advanceTime(1)
    expect(steps.at(-1)).toBe('commit a3')
  })

  it('commits the first text without delay, also after the name of the model', async () => {
    const { log, listen } = openLog()
    const run = log.open({ id: 1, chatId: 'chat', started })
    const received = listen(run)
    run.add({ type: 'model', model: 'm' })
    run.append('text', 'first')
    await settle()
    expect(eventsIn(received.frames).map((event) => event.type)).toEqual(['model', 'text'])
  })

  it('commits the connection log together with the first text that follows it', async () => {
    const { log, steps } = openLog()
    const run = log.open({ id: 1, chatId: 'chat', started })
    run.add(connecting)
    await advanceTime(29)
    run.append('text', 'first')
    await settle()
    expect(steps).toEqual(['commit a2 a3'])
  })

  it('commits the connection log alone when no text follows it for 30 ms', async () => {
    const { log, steps } = openLog()
    const run = log.open({ id: 1, chatId: 'chat', started })
    run.add(connecting)
    await advanceTime(29)
    expect(steps).toEqual([])
    await advanceTime(1)
    expect(steps).toEqual(['commit a2'])
  })

  it('does not delay the text of another run that waits already', async () => {
    const { log, steps } = openLog()
    const a = log.open({ id: 1, chatId: 'chat', started })
    const b = log.open({ id: 2, chatId: 'chat', started })
    b.append('text', 'first')
    await settle()
    await advanceTime(10)
    b.append('text', ' second')
    a.add(connecting)
    await advanceTime(20)
    expect(steps).toEqual(['commit b2', 'commit b3 a2'])
  })

  it('pulls data at once until the first text of a reply, and before each commit from then on', async () => {
    const { log, rows, steps } = openLog()
    const a = log.open({ id: 1, chatId: 'chat', started })
    const b = log.open({ id: 2, chatId: 'chat', started })
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
    await advanceTime(30)
    expect(sourceA.drain).toHaveBeenCalledTimes(1)
    expect(steps).toEqual(['commit a2 b2', 'commit a3 a4 b3', 'commit b4'])
    expect(rows[2]?.event).toContain(' more')
    a.add({ type: 'reply', assistant_message: wireReply() })
    sourceA.push({ type: 'text', text: 'next' })
    expect(sourceA.drain).toHaveBeenCalledTimes(2)
  })

  it('pulls data at once when the source is full, and the remaining data when the reply ends', async () => {
    const { log, rows } = openLog()
    const run = log.open({ id: 1, chatId: 'chat', started })
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

  it('stores what belongs to an event before the event is shown', async () => {
    const { log, steps, listen } = openLog()
    const run = log.open({ id: 1, chatId: 'chat', started })
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

  it('stores an attached write with the next event that stores something, and not with text', async () => {
    const { log, steps, listen } = openLog()
    const run = log.open({ id: 1, chatId: 'chat', started })
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
    const run = log.open({ id: 1, chatId: 'chat', started })
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
    const run = log.open({ id: 1, chatId: 'chat', started })
    const received = listen(run)
    run.add({ type: 'ended', status: 'stopped' })
    run.add({ type: 'mcp_status', status: 'connected', server: 's', message: 'late' })
    await run.closed
    expect(eventsIn(received.frames).map((event) => event.type)).toEqual(['ended'])
  })

  it('shows no event of a run that another node has taken over, and all events of other runs', async () => {
    const { log, listen } = openLog(() => new Set([2]))
    const a = log.open({ id: 1, chatId: 'chat', started })
    const b = log.open({ id: 2, chatId: 'chat', started })
    const [receivedA, receivedB] = [listen(a), listen(b)]
    a.append('text', 'secret')
    b.append('text', 'fine')
    await settle()
    expect(receivedA).toEqual({ frames: '', isEnded: false, lost: 'interrupted' })
    expect(a.isRunning).toBe(false)
    expect(eventsIn(receivedB.frames).length).toBe(1)
  })

  it('frames only the events after the given one', async () => {
    const { log, listen } = openLog()
    const run = log.open({ id: 1, chatId: 'chat', started })
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
        const run = log.open({ id: 1, chatId: 'chat', started })
        const received = listen(run)
        for (const { kind, text, pause } of pieces) {
          run.append(kind, text)
          if (pause) await advanceTime(50)
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
