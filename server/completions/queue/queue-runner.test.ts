import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChatApp, type ChatApp } from '../../testing/chat/open-chat-app.ts'
import { engines } from '../../testing/database/test-database.ts'
import { listQueuedChats, selectReady } from './queue-store.ts'

describe.each(engines)('queues that nobody lets go on, on %s', (engine) => {
  let product: ChatApp
  beforeAll(async () => {
    product = await openChatApp({ engine })
  })
  afterAll(() => product.close())

  it('are looked through in slices, and a ready one behind many that are paused goes on', async () => {
    const { db } = product.database
    const ada = await product.join('Ada')
    const chatId = await ada.newChat()
    product.model.reply(['Hello.'])
    await (
      await ada.send(chatId, 'Hi')
    ).ended
    const chat = await db.selectFrom('chats').selectAll().where('id', '=', chatId).executeTakeFirstOrThrow()
    const bot = await db
      .selectFrom('bots')
      .select('id')
      .where('name', '=', 'Helper')
      .executeTakeFirstOrThrow()
    const queued = (id: string) => ({
      chat_id: id,
      id: 'waits',
      user_id: ada.user.id,
      branch_id: '',
      position: 1,
      content: '"Go on"',
      bot_id: bot.id,
      time_zone: null,
      steers: 0,
      problem: null,
      run_id: null,
      created_at: 1,
    })
    // Their ids come before that of the chat.
    const ids = Array.from({ length: 60 }, (_, index) => `!paused-${String(index).padStart(2, '0')}`)
    await db
      .insertInto('chats')
      .values(ids.map((id) => ({ ...chat, id, selected_message_id: 'failed' })))
      .execute()
    await db
      .insertInto('messages')
      .values(
        ids.map((id) => ({
          chat_id: id,
          id: 'failed',
          first_id: 'failed',
          role: 'assistant',
          content: '',
          status: 'failed',
          unix_timestamp: 1,
        })),
      )
      .execute()
    await db.insertInto('queued_messages').values(ids.map(queued)).execute()
    product.model.reply(['Going on.'])
    await db.insertInto('queued_messages').values(queued(chatId)).execute()

    const slice = await listQueuedChats(db, { after: ids[9] ?? '', limit: 25 })
    expect(slice).toEqual(ids.slice(10, 35))
    expect(await selectReady(db, slice)).toEqual([])
    await expect
      .poll(async () => (await ada.readChat(chatId)).messages.map(({ content }) => content))
      .toEqual(['Hi', 'Hello.', 'Go on', 'Going on.'])
  })
})
