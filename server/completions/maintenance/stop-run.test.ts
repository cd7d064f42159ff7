import { setTimeout } from 'node:timers/promises'
import { startedEvent } from '@yonder/contract/testing/messages'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChatApp, type ChatApp, type ChatClient } from '../../testing/chat/open-chat-app.ts'
import { engines, openTestDatabase } from '../../testing/database/test-database.ts'
import { addChat, chatRow } from '../../testing/factories/chats.ts'
import { addUser, userRow } from '../../testing/factories/users.ts'
import { statusAndBody } from '../../testing/send-request.ts'
import { ActiveRuns, PendingElicitations } from '../log/active-runs.ts'
import { RunLog } from '../log/run-log.ts'
import { findRun, insertRun } from '../log/run-store.ts'
import { stopRun } from './end-run.ts'

describe.each(engines)('stop on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine })
    ada = await product.join()
  })
  afterAll(() => product.close())

  /** A reply that would take a minute. */
  const slow = () => Array.from({ length: 3_000 }, (_, index) => [`${index} `, { delay: 20 }]).flat()

  it.each([
    ['at once', ''],
    ['after the first text', '0 '],
    ['after a few words', '10 '],
    ['after many words', '40 '],
  ])('%s aborts the upstream request and keeps the partial text (§4.15)', async (_moment, shown) => {
    // A run that is stopped at once may end before the model is called.
    product.model.when('Count', slow())
    product.model.when('Again', ['next', { finish: 'stop' }])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Count')
    if (shown !== '') await stream.until(({ text }) => text.includes(shown))
    const response = await ada.post('/api/chat/stop', { chatId })
    expect(statusAndBody(response)).toEqual({ status: 200, body: { stopped: true } })
    await stream.ended
    expect(stream.events.at(-1)).toMatchObject({ type: 'ended', status: 'stopped' })
    await expect.poll(() => product.model.openRequests).toBe(0)
    const chat = await ada.readChat(chatId)
    expect(chat.messages[1]).toMatchObject({ status: 'stopped', content: stream.text })
    expect(chat.run).toBeNull()
    const next = await ada.send(chatId, 'Again')
    await next.ended
    expect(next.text).toBe('next')
  })

  it('returns that nothing was stopped when there is no run', async () => {
    const chatId = await ada.newChat()
    expect(statusAndBody(await ada.post('/api/chat/stop', { chatId }))).toEqual({
      status: 200,
      body: { stopped: false },
    })
    await (
      await ada.send(chatId, 'Hi')
    ).ended
    expect(statusAndBody(await ada.post('/api/chat/stop', { chatId }))).toEqual({
      status: 200,
      body: { stopped: false },
    })
  })

  it('is refused for another user, and the run continues', async () => {
    const gate = product.model.gate()
    product.model.reply(['mine', gate, ' whole', { finish: 'stop' }])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Hi')
    await stream.until(({ text }) => text === 'mine')
    const eve = await product.join('Eve')
    expect((await eve.post('/api/chat/stop', { chatId })).statusCode).toBe(404)
    gate.open()
    await stream.ended
    expect(stream.text).toBe('mine whole')
  })
})

/** Notifications that never come. */
const noNotifications = {
  wait: (_runId: number, timeoutMs: number) => setTimeout(timeoutMs),
  onRun: () => undefined,
  close: () => Promise.resolve(),
}

describe.each(engines)('stop of a run of another node, on %s', (engine) => {
  it('waits for its end, however often the node notifies of events meanwhile', async () => {
    const database = await openTestDatabase(engine)
    const { db, dialect } = database
    const started = startedEvent()
    const chat = chatRow({ user_id: 'ada' })
    await addUser(db, { id: 'ada' })
    await addChat(db, chat)
    const run = {
      chat_id: chat.id,
      user_id: 'ada',
      message_id: started.assistant_message.id,
      node_id: 'there',
      started_at: 1,
    }
    const id = await insertRun(db, dialect, run, JSON.stringify(started))
    let notified = 0
    const notifications = {
      /** Notifies at once. The node ends the run after the hundredth notification. */
      async wait() {
        if (++notified === 100)
          await db.updateTable('runs').set({ status: 'stopped' }).where('id', '=', id).execute()
      },
      onRun: () => undefined,
      close: () => Promise.resolve(),
    }
    const deps = { database, runs: new ActiveRuns(), notifications, now: Date.now, onEnded: () => undefined }
    expect(await stopRun(deps, userRow({ id: 'ada' }), chat.id)).toBe(true)
    expect((await findRun(db, dialect, id))?.status).toBe('stopped')
    await database.close()
  })

  it('does not say that the run has stopped when it has not', async () => {
    const database = await openTestDatabase(engine)
    const { db, dialect } = database
    const started = startedEvent()
    const chat = chatRow({ user_id: 'ada' })
    await addUser(db, { id: 'ada' })
    await addChat(db, chat)
    const message_id = started.assistant_message.id
    const run = { chat_id: chat.id, user_id: 'ada', message_id, node_id: 'there', started_at: 1 }
    const id = await insertRun(db, dialect, run, JSON.stringify(started))
    const deps = {
      database,
      runs: new ActiveRuns(),
      notifications: noNotifications,
      now: Date.now,
      onEnded: () => undefined,
    }
    await expect(stopRun(deps, userRow({ id: 'ada' }), chat.id, { maxMs: 1 })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('has not stopped it yet'),
    })
    expect(await findRun(db, dialect, id)).toMatchObject({ status: 'running', stop_requested: 1 })
    await database.close()
  })
})

describe.each(engines)('stop while the database does not respond, on %s', (engine) => {
  it('stops the model, and says that the end is not stored', async () => {
    const database = await openTestDatabase(engine)
    const never = () => new Promise<never>(() => undefined)
    const log = new RunLog({
      db: database.db,
      append: never,
      isStored: never,
      isOutage: () => true,
      transaction: never,
      onError: () => undefined,
    })
    const started = startedEvent()
    const recorder = log.open({ id: 1, chatId: 'chat', started })
    const reasons: string[] = []
    const runs = new ActiveRuns()
    runs.add({
      id: 1,
      chatId: 'chat',
      userId: 'ada',
      started,
      recorder,
      elicitations: new PendingElicitations(),
      abort: (reason) => reasons.push(reason),
      ended: recorder.closed,
    })
    const deps = { database, runs, notifications: noNotifications, now: Date.now, onEnded: () => undefined }
    await expect(stopRun(deps, userRow({ id: 'ada' }), 'chat', { maxMs: 1 })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('is not stored yet'),
    })
    expect(reasons).toEqual(['stopped'])
    // Of another user, it is not even aborted.
    await expect(stopRun(deps, userRow({ id: 'eve' }), 'chat', { maxMs: 1 })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(reasons).toEqual(['stopped'])
    await database.close()
  })
})
