import type { StartedEvent } from '@yonder/contract/completion'
import { afterEach, describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '../testing/test-database.ts'
import type { TestDatabase } from '../testing/test-database.ts'
import type { ActiveRun } from './active-runs.ts'
import { RunLog } from './run-log.ts'
import { renewRuns } from './tend-runs.ts'

const message = { content: '', timestamp: '2026-01-01T00:00:00.000Z', unix_timestamp: 1 }
const started: StartedEvent = {
  type: 'started',
  seq: 1,
  user_message: { ...message, id: 'q', parent_id: null, role: 'user', status: 'complete' },
  assistant_message: { ...message, id: 'a', parent_id: 'q', role: 'assistant', status: 'streaming' },
}

describe.each(engines)('a run that the database no longer counts as running, on %s', (engine) => {
  let database: TestDatabase
  afterEach(() => database.close())

  /** One whose commits are under way for ever. */
  async function openRun() {
    database = await openTestDatabase(engine)
    const log = new RunLog({
      db: database.db,
      append: () => new Promise(() => undefined),
      transaction: () => new Promise(() => undefined),
      onError: () => undefined,
    })
    const recorder = log.open(1, started)
    let heard = ''
    recorder.attach({
      after: 1,
      numbered: false,
      onFrames: (frames) => (heard += frames),
      onEnd: () => (heard += 'end'),
    })
    const run: ActiveRun = {
      chatId: 'c',
      messageId: 'a',
      recorder,
      abort: () => undefined,
      ended: recorder.closed,
    }
    const renew = () => renewRuns({ database, nodeId: 'here', runs: new Map([[1, run]]) })
    return { recorder, renew, heard: () => heard }
  }

  it('was closed by another server, and says so', async () => {
    const { renew, heard } = await openRun()
    await renew()
    expect(heard()).toContain('"code":"interrupted"')
    expect(heard()).toMatch(/end$/)
  })

  it('was ended by itself when its end is on the way: only the commit knows', async () => {
    const { recorder, renew, heard } = await openRun()
    recorder.append('text', 'whole')
    recorder.add({ type: 'ended', status: 'complete' })
    await renew()
    expect(heard()).toBe('')
  })
})
