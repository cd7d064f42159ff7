import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { openChatApp, type ChatApp } from '../testing/chat/open-chat-app.ts'
import { engines, openTestDatabase, type TestDatabase } from '../testing/database/test-database.ts'

describe.each(engines)('shutting down on %s', (engine) => {
  let database: TestDatabase
  let product: ChatApp
  afterEach(() => database.close())

  async function open() {
    database = await openTestDatabase(engine)
    product = await openChatApp({ database })
    return product.join()
  }
  const readReply = (chatId: string) =>
    database.db
      .selectFrom('messages')
      .select(['content', 'status'])
      .where('chat_id', '=', chatId)
      .where('role', '=', 'assistant')
      .executeTakeFirstOrThrow()

  it('ends replies as interrupted with their text, and their streams', async () => {
    const ada = await open()
    product.model.reply(['kept', { delay: 60_000 }])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Hi')
    await stream.until(({ text }) => text === 'kept')
    await product.close()
    await stream.ended
    expect(stream.events.at(-1)).toMatchObject({ type: 'ended', status: 'interrupted' })
    expect(stream.raw.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await readReply(chatId)).toEqual({ content: 'kept', status: 'interrupted' })
  })

  it('waits for a reply that ends within the grace period', async () => {
    const ada = await open()
    product.model.reply(['almost', { delay: 300 }, ' done', { finish: 'stop' }])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Hi')
    await stream.until(({ text }) => text === 'almost')
    await Promise.all([product.close(), wait(0)])
    expect(await readReply(chatId)).toEqual({ content: 'almost done', status: 'complete' })
  })
})
