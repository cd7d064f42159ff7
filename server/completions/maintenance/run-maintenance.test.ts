import type { StartedEvent } from '@yonder/contract/completion'
import { afterEach, describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '../../testing/database/test-database.ts'
import type { TestDatabase } from '../../testing/database/test-database.ts'
import { ActiveRuns } from '../log/active-runs.ts'
import type { ActiveRun } from '../log/active-runs.ts'
import { PendingElicitations } from '../tools/elicitations.ts'
import { RunLog } from '../log/run-log.ts'
import { insertRun, listExpiredRuns } from '../log/run-store.ts'
import { renewRuns } from './run-maintenance.ts'

const message = { content: '', timestamp: '2026-01-01T00:00:00.000Z', unix_timestamp: 1 }
const started: StartedEvent = {
  type: 'started',
  seq: 1,
  user_message: { ...message, id: 'q', parent_id: null, role: 'user', status: 'complete' },
  assistant_message: { ...message, id: 'a', parent_id: 'q', role: 'assistant', status: 'streaming' },
}

describe.each(engines)('a run that has ended in the database, on %s', (engine) => {
  let database: TestDatabase
  afterEach(() => database.close())

  /** A run whose commits never finish. */
  async function openRun() {
    database = await openTestDatabase(engine)
    const log = new RunLog({
      db: database.db,
      append: () => new Promise(() => undefined),
      transaction: () => new Promise(() => undefined),
      onError: () => undefined,
    })
    const recorder = log.open(1, started)
    let lost = ''
    recorder.subscribe({
      onBatch: () => undefined,
      onLost: (error) => {
        lost = error.code
      },
    })
    const runs = new ActiveRuns()
    runs.add({
      id: 1,
      chatId: 'c',
      userId: 'ada',
      started,
      recorder,
      elicitations: new PendingElicitations(),
      abort: () => undefined,
      ended: recorder.closed,
    })
    const renew = () => renewRuns({ database, nodeId: 'here', runs })
    return { recorder, renew, lost: () => lost }
  }

  it('is lost when another server has closed it', async () => {
    const { renew, lost } = await openRun()
    await renew()
    expect(lost()).toBe('interrupted')
  })

  it('is not lost while its own end is being committed: only the commit decides', async () => {
    const { recorder, renew, lost } = await openRun()
    recorder.append('text', 'whole')
    recorder.add({ type: 'ended', status: 'complete' })
    await renew()
    expect(lost()).toBe('')
  })
})

describe.each(engines)('a run that this process has given up, on %s', (engine) => {
  it('is not renewed, whatever else runs here, so that another node closes it', async () => {
    const { db, dialect, ...rest } = await openTestDatabase(engine)
    const insert = async (chatId: string) => {
      const user = { id: chatId, issuer: 'test', subject: chatId, name: null, email: null, picture: null }
      await db
        .insertInto('users')
        .values({ ...user, created_at: 1 })
        .execute()
      const chat = { id: chatId, user_id: chatId, selected_message_id: null, created_at: 1, updated_at: 1 }
      await db.insertInto('chats').values(chat).execute()
      const run = {
        chat_id: chatId,
        user_id: chatId,
        message_id: 'a',
        node_id: 'here',
        started_at: 1,
      }
      return insertRun(db, dialect, run, JSON.stringify(started))
    }
    const [held, lost] = [await insert('held'), await insert('lost')]
    await db.updateTable('runs').set({ lease_until: 0 }).execute()
    const runs = new ActiveRuns()
    runs.add({ id: held, recorder: { isEnding: true } } as ActiveRun)
    await renewRuns({ database: { ...rest, db, dialect }, nodeId: 'here', runs })
    expect(await listExpiredRuns(db, dialect)).toEqual([lost])
    await rest.close()
  })
})
