import { setImmediate as turn } from 'node:timers/promises'
import { startedEvent } from '@yonder/contract/testing/messages'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { settle, advanceTime, Outage, openLog, eventsIn } from '../../testing/chat/open-run-log.ts'

const started = startedEvent()

// The timers are fake, so that the result does not depend on the speed of the machine.
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }))
afterEach(() => vi.useRealTimers())

describe('the run log, when a commit fails,', () => {
  it('retries a failed commit for each run separately, in the same order', async () => {
    let failures = 3
    const { log, listen, rows, onError } = openLog((events) => {
      if (events.some((event) => event.run_id === 1) && failures-- > 0) throw new Error('disk full')
      return new Set(events.map((event) => event.run_id))
    })
    const bad = log.open({ id: 1, chatId: 'chat', started })
    const good = log.open({ id: 2, chatId: 'chat', started })
    const [receivedBad, receivedGood] = [listen(bad), listen(good)]
    bad.append('text', 'one ')
    good.append('text', 'fine')
    await settle()
    expect(eventsIn(receivedGood.frames).length).toBe(1)
    expect(receivedBad.frames).toBe('')
    bad.append('text', 'two')
    await advanceTime(250)
    expect(eventsIn(receivedBad.frames).map((event) => event.seq)).toEqual([2, 3])
    expect(rows.filter((row) => row.run_id === 1).map((row) => row.seq)).toEqual([2, 3])
    expect(onError).toHaveBeenCalled()
  })

  it('continues all runs after an outage of four minutes, without a gap or a repetition', async () => {
    let isAway = true
    const { log, listen, rows, onError } = openLog((events) => {
      if (isAway) throw new Outage()
      return new Set(events.map((event) => event.run_id))
    })
    const runs = [log.open({ id: 1, chatId: 'chat', started }), log.open({ id: 2, chatId: 'chat', started })]
    const received = runs.map((run) => listen(run))
    for (const run of runs) run.append('text', 'before ')
    // The commit has begun, and fails afterwards.
    await turn()
    for (const run of runs) run.append('text', 'during ')
    await settle()
    for (let seconds = 0; seconds < 240; seconds += 1) await advanceTime(1_000)
    for (const run of runs) run.append('text', 'after')
    expect(received.map(({ frames, lost }) => frames + lost)).toEqual(['', ''])
    isAway = false
    await advanceTime(250)
    for (const { frames, lost } of received) {
      expect(lost).toBe('')
      expect(eventsIn(frames).map(({ seq }) => seq)).toEqual([2, 3])
    }
    for (const run of runs) expect(run.state.messages[1]?.content).toBe('before during after')
    expect(rows).toHaveLength(4)
    expect(onError).toHaveBeenCalled()
  })

  it('continues each of several hundred runs after an outage', async () => {
    let isAway = true
    const { log } = openLog((events) => {
      if (isAway) throw new Outage()
      return new Set(events.map((event) => event.run_id))
    })
    const runs = Array.from({ length: 700 }, (_, index) =>
      log.open({ id: index + 1, chatId: 'chat', started }),
    )
    for (const run of runs) run.append('text', 'text')
    await settle()
    isAway = false
    for (let retries = 0; retries < 3; retries++) await advanceTime(250)
    for (let turns = 0; turns < 100; turns++) await settle()
    expect(runs.filter((run) => run.state.messages[1]?.content !== 'text')).toEqual([])
  })

  it('reports each error of an outage once, also the one that ends the runs', async () => {
    const { log, listen, onError } = openLog(() => {
      throw new Outage()
    })
    const runs = [log.open({ id: 1, chatId: 'chat', started }), log.open({ id: 2, chatId: 'chat', started })]
    const received = runs.map((run) => listen(run))
    for (const run of runs) run.append('text', 'text')
    await settle()
    for (let seconds = 0; seconds < 302; seconds += 1) await advanceTime(1_000)
    expect(received.map(({ lost }) => lost)).toEqual(['storage_full', 'storage_full'])
    const errors = onError.mock.calls.map(([error]) => error as unknown)
    expect(errors.length).toBeGreaterThan(0)
    expect(new Set(errors).size).toBe(errors.length)
  })

  it('ends a run whose events the database refuses for eight seconds, and keeps the others', async () => {
    const { log, listen } = openLog((events) => {
      if (events.some(({ run_id }) => run_id === 1)) throw new Error('refused')
      return new Set(events.map((event) => event.run_id))
    })
    const [bad, good] = [
      log.open({ id: 1, chatId: 'chat', started }),
      log.open({ id: 2, chatId: 'chat', started }),
    ]
    const [receivedBad, receivedGood] = [listen(bad), listen(good)]
    bad.append('text', 'one')
    good.append('text', 'fine')
    await settle()
    for (let seconds = 0; seconds < 9; seconds += 1) await advanceTime(1_000)
    expect(receivedBad).toEqual({ frames: '', isEnded: false, lost: 'storage_full' })
    expect(eventsIn(receivedGood.frames).length).toBe(1)
    await bad.closed
  })

  it('executes no write twice when the connection is lost after the database has committed', async () => {
    let isCut = true
    const { log, listen, rows } = openLog(undefined, () => {
      if (!isCut) return
      isCut = false
      throw new Outage()
    })
    const run = log.open({ id: 1, chatId: 'chat', started })
    const received = listen(run)
    const write = vi.fn(async () => undefined)
    run.append('text', 'all')
    run.add({ type: 'ended', status: 'complete' }, write)
    await settle()
    expect(received.frames).toBe('')
    await advanceTime(250)
    await run.closed
    expect(write).toHaveBeenCalledTimes(1)
    expect(rows.map(({ seq }) => seq)).toEqual([2, 3])
    expect(received).toMatchObject({ isEnded: true, lost: '' })
  })
})
