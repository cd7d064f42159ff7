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
})
