import { textOfContent } from '@yonder/contract/message-text'
import { afterEach, describe, expect, it } from 'vitest'
import { createChatClient, openChatApp, type ChatApp } from '../../testing/chat/open-chat-app.ts'
import { startChatNode, type ChatNode } from '../../testing/chat/start-chat-node.ts'
import { engines, isConcurrent } from '../../testing/database/test-database.ts'
import { statusAndBody } from '../../testing/send-request.ts'
import { expireIntervalMs } from '../maintenance/run-maintenance.ts'
import { leaseMs } from './run-store.ts'

const counting = (count: number) =>
  Array.from({ length: count }, (_, index) => [`${index} `, { delay: 10 }]).flat()

describe.each(engines)('two servers on one database, %s', (engine) => {
  let local: ChatApp
  let remote: ChatNode | undefined
  afterEach(async () => {
    await remote?.kill()
    await local.close()
  })

  async function open() {
    local = await openChatApp({ engine })
    const ada = await local.join()
    remote = await startChatNode(local.database, ada, local.model.baseUrl)
    return { here: ada, there: createChatClient(remote.base, ada), kill: remote.kill }
  }

  /** Sends a message at the remote server and waits for the beginning of its long reply. */
  async function startLongReply() {
    const { here, there } = await open()
    local.model.reply(counting(3_000))
    const chatId = await here.newChat()
    const started = await there.send(chatId, 'Count')
    await started.until(({ text }) => text.includes('3 '))
    return { here, chatId, started }
  }

  it.runIf(isConcurrent(engine))(
    'send the events of each other’s runs without gaps or repetitions',
    async () => {
      const { here, there } = await open()
      local.model.reply([...counting(100), { finish: 'stop' }])
      const chatId = await here.newChat()
      const started = await there.send(chatId, 'Count')
      await started.until(({ events }) => events.length > 3)
      const tabs = await Promise.all([0, 1, 3].map((after) => here.follow(chatId, after)))
      await Promise.all([started, ...tabs].map((stream) => stream.ended))
      for (const [index, after] of [0, 1, 3].entries()) {
        expect(tabs[index]?.events).toEqual(started.events.slice(after))
      }
      expect((await here.readChat(chatId)).messages).toEqual(started.run.messages)
    },
  )

  it.runIf(isConcurrent(engine))("show and stop each other's runs, and accept the next message", async () => {
    const { here, chatId, started } = await startLongReply()
    const chat = await here.readChat(chatId)
    expect(chat.run?.message_id).toBe(chat.messages[1]?.id)
    expect(chat.messages[1]?.content).toContain('0 1 2')
    const second = await here.send(chatId, 'meanwhile')
    await second.ended
    expect(second.status).toBe(409)
    expect(statusAndBody(await here.post('/api/chat/stop', { chatId }))).toEqual({
      status: 200,
      body: { stopped: true },
    })
    await expect.poll(() => local.model.openRequests).toBe(0)
    await started.ended
    expect(started.run.status).toBe('stopped')
    local.model.reply(['next', { finish: 'stop' }])
    const next = await here.send(chatId, 'Go on')
    await next.ended
    expect(next.text).toBe('next')
  })

  it.runIf(isConcurrent(engine))(
    'keep every shown token when one is killed, and end its run within 15 s',
    async () => {
      const { here, there, kill } = await open()
      local.model.reply(counting(3_000))
      const chatId = await here.newChat()
      const started = await there.send(chatId, 'Count')
      const watching = await here.follow(chatId)
      await started.until(({ text }) => text.includes('40 '))
      await kill()
      await started.ended
      const before = await here.readChat(chatId)
      expect(textOfContent(before.messages[1]?.content ?? '').startsWith(started.text)).toBe(true)
      await watching.ended
      // A run of a dead node stays open for at most one lease and one interval of the task that ends it.
      expect(leaseMs + expireIntervalMs).toBeLessThan(15_000)
      expect(watching.events.at(-1)).toMatchObject({ type: 'ended', status: 'interrupted' })
      const after = await here.readChat(chatId)
      expect(after.run).toBeNull()
      expect(after.messages).toEqual(watching.run.messages)
      expect(after.messages[1]?.status).toBe('interrupted')
      expect(textOfContent(after.messages[1]?.content ?? '').startsWith(started.text)).toBe(true)
      const { db } = local.database
      const run = await db
        .selectFrom('runs')
        .selectAll()
        .where('chat_id', '=', chatId)
        .executeTakeFirstOrThrow()
      const log = await db
        .selectFrom('run_events')
        .select('seq')
        .where('run_id', '=', run.id)
        .orderBy('seq')
        .execute()
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
      expect(run.last_seq).toBe(log.length)
      local.model.reply(['next', { finish: 'stop' }])
      const next = await here.send(chatId, 'Go on')
      await next.ended
      expect(next.text).toBe('next')
    },
    leaseMs * 4,
  )

  it.runIf(isConcurrent(engine))(
    'write and show no more events of a run that another server has ended',
    async () => {
      const { here, chatId, started } = await startLongReply()
      await local.database.db
        .updateTable('runs')
        .set({ lease_until: 0 })
        .where('chat_id', '=', chatId)
        .execute()
      const closed = await here.readChat(chatId)
      expect(closed.messages[1]?.status).toBe('interrupted')
      await started.ended
      expect(textOfContent(closed.messages[1]?.content ?? '')).toBe(started.text)
      expect(started.raw).toContain('"error":{"code":"interrupted"')
      await expect.poll(() => local.model.openRequests).toBe(0)
      expect((await here.readChat(chatId)).messages).toEqual(closed.messages)
    },
  )
})
