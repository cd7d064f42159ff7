import { startedEvent } from '@yonder/contract/testing/messages'
import { afterEach, describe, expect, it } from 'vitest'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import { addChat } from '../../testing/factories/chats.ts'
import { addUser } from '../../testing/factories/users.ts'
import { ActiveRuns, PendingElicitations, type ActiveRun } from '../log/active-runs.ts'
import { RunLog } from '../log/run-log.ts'
import { insertRun, listExpiredRuns } from '../log/run-store.ts'
import { renewRuns } from './run-maintenance.ts'

const started = startedEvent()

describe.each(engines)('a run that has ended in the database, on %s', (engine) => {
  let database: TestDatabase
  afterEach(() => database.close())

  /** A run whose commits never finish. */
  async function openRun() {
    database = await openTestDatabase(engine)
    const log = new RunLog({
      db: database.db,
      append: () => new Promise(() => undefined),
      isStored: () => Promise.resolve(false),
      isOutage: () => false,
      transaction: () => new Promise(() => undefined),
      onError: () => undefined,
    })
    const recorder = log.open({ id: 1, chatId: 'chat', started })
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

  it('is lost when another server has ended it', async () => {
    const { renew, lost } = await openRun()
    await renew()
    expect(lost()).toBe('interrupted')
  })

  it('is not lost while its own end is being committed', async () => {
    const { recorder, renew, lost } = await openRun()
    recorder.append('text', 'whole')
    recorder.add({ type: 'ended', status: 'complete' })
    await renew()
    expect(lost()).toBe('')
  })
})

describe.each(engines)('a run that this process has abandoned, on %s', (engine) => {
  it('is not renewed, so that another node expires it', async () => {
    const { db, dialect, ...rest } = await openTestDatabase(engine)
    const insert = async (chatId: string) => {
      await addUser(db, { id: chatId })
      await addChat(db, { id: chatId, user_id: chatId })
      const run = {
        chat_id: chatId,
        user_id: chatId,
        message_id: 'a',
        node_id: 'here',
        started_at: 1,
      }
      return insertRun(db, dialect, run, JSON.stringify(started))
    }
    const [owned, lost] = [await insert('owned'), await insert('lost')]
    await db.updateTable('runs').set({ lease_until: 0 }).execute()
    const runs = new ActiveRuns()
    runs.add({ id: owned, recorder: { isEnding: true } } as ActiveRun)
    await renewRuns({ database: { ...rest, db, dialect }, nodeId: 'here', runs })
    expect(await listExpiredRuns(db, dialect)).toEqual([lost])
    await rest.close()
  })
})
