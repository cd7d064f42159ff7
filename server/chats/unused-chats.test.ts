import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { engines } from '../testing/database/test-database.ts'
import { addChat } from '../testing/factories/chats.ts'
import { deleteUnusedChats } from './chat-store.ts'
import { openChats } from './open-chats.ts'

describe.each(engines)('the removal of unused chats on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine })
    ada = await product.join('Ada')
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  afterAll(() => product.close())

  async function use(client: ChatClient, chatId: string): Promise<void> {
    product.model.reply(['Ho', { finish: 'stop' }])
    await (
      await client.send(chatId, 'Hi')
    ).ended
  }

  it('deletes unused chats that were reserved a day ago', async () => {
    const old = await ada.newChat()
    const used = await ada.newChat()
    await use(ada, used)
    const { db } = product.database
    const day = 86_400_000
    await db
      .updateTable('chats')
      .set({ created_at: Date.now() - day - 1 })
      .where('id', 'in', [old, used])
      .execute()
    const fresh = await ada.newChat()
    const time = Date.now() - day
    await deleteUnusedChats(db, { expiredBefore: time, surplusBefore: time, max: 100 })
    expect((await ada.get(`/api/chats/${old}`)).statusCode).toBe(404)
    expect((await ada.readChat(used)).messages.length).toBe(2)
    expect((await ada.readChat(fresh)).messages).toEqual([])
  })

  it('keeps the newest unused chats of a user, those just reserved, and every used chat', async () => {
    const hoarder = await product.join('Hoarder')
    const used = await hoarder.newChat()
    await use(hoarder, used)
    const reserved: string[] = []
    for (let count = 0; count < 5; count++) reserved.push(await hoarder.newChat())
    expect(new Set(reserved).size).toBe(5)
    const { db } = product.database
    for (const [index, id] of reserved.entries())
      await db
        .updateTable('chats')
        .set({ created_at: 1_000 + index })
        .where('id', '=', id)
        .execute()
    await deleteUnusedChats(db, { expiredBefore: 0, surplusBefore: 1_000, max: 1 })
    expect((await hoarder.get(`/api/chats/${reserved[0]}`)).statusCode).toBe(200)
    await deleteUnusedChats(db, { expiredBefore: 0, surplusBefore: 2_000, max: 3 })
    for (const id of reserved.slice(0, 2))
      expect((await hoarder.get(`/api/chats/${id}`)).statusCode).toBe(404)
    for (const id of [used, ...reserved.slice(2)])
      expect((await hoarder.get(`/api/chats/${id}`)).statusCode).toBe(200)
  })

  it('keeps a chat whose first message still waits to be sent', async () => {
    const chatId = await ada.newChat()
    const { db } = product.database
    const row = {
      chat_id: chatId,
      id: 'first',
      user_id: ada.user.id,
      branch_id: '',
      position: 1,
      content: '"Words"',
      bot_id: 'deleted',
      time_zone: null,
      steers: 0,
      problem: null,
      run_id: null,
      created_at: 1,
    }
    await db.insertInto('queued_messages').values(row).execute()
    const later = Date.now() + 1_000
    await deleteUnusedChats(db, { expiredBefore: later, surplusBefore: later, max: 0 })
    expect((await ada.get(`/api/chat/queue?chatId=${chatId}`)).json()).toMatchObject({
      messages: [{ content: 'Words' }],
      paused: 'no_bot',
    })
  })

  it('keeps 100 unused chats of a user that are older than ten minutes', async () => {
    const { db } = product.database
    const hoarder = await product.join('Collector')
    const time = Date.now()
    const reserve = async (id: string, ageMs: number) => {
      await addChat(db, { id: `${id} ${engine}`, user_id: hoarder.user.id, created_at: time - ageMs })
    }
    for (let index = 0; index < 102; index++) await reserve(`old ${index}`, 600_001 + index)
    for (let index = 0; index < 3; index++) await reserve(`new ${index}`, 599_000)
    const listIds = async () => {
      const owned = db.selectFrom('chats').select('id').where('user_id', '=', hoarder.user.id)
      return (await owned.execute()).map(({ id }) => id)
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const chats = openChats(
      { config: { selfService: false }, database: product.database, now: () => time },
      {
        runReader: { read: () => Promise.resolve(undefined), expire: () => Promise.resolve() },
        onChatChanged: () => undefined,
        onChatsChanged: () => undefined,
        onDeleted: () => undefined,
        onError: () => undefined,
      },
    )
    vi.advanceTimersByTime(3_600_000)
    // Waits for the deletion that has begun.
    const closed = chats.close()
    vi.useRealTimers()
    await closed
    const left = await listIds()
    expect(left).toHaveLength(103)
    for (const id of ['old 100', 'old 101']) expect(left).not.toContain(`${id} ${engine}`)
    await db.deleteFrom('chats').where('user_id', '=', hoarder.user.id).execute()
  })
})
