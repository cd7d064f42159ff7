import type { ListedSummary } from '@yonder/contract/chat-list'
import { afterEach, describe, expect, it } from 'vitest'
import { createChatClient, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { openLiveStream, type LiveStream } from '../testing/chat/open-live-stream.ts'
import { callOf, openToolApp, waitingCall, type ToolApp } from '../testing/chat/open-tool-app.ts'
import { startChatNode } from '../testing/chat/start-chat-node.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'
import { addChat } from '../testing/factories/chats.ts'

describe.each(engines)('the live rows of chats, on %s', (engine) => {
  let product: ToolApp
  afterEach(() => product.close())

  const open = async () => {
    product = await openToolApp({ engine })
    const ada = await product.join()
    return { ada, tab: await openLiveStream(product.base, ada.headers) }
  }
  const newest = (tab: LiveStream, chatId: string): ListedSummary | undefined =>
    tab
      .listed()
      .flatMap(({ chats }) => chats.filter(({ id }) => id === chatId))
      .at(-1)
  const next = async (tab: LiveStream, chatId: string, fits: (chat: ListedSummary) => boolean) => {
    await tab.until(() => {
      const chat = newest(tab, chatId)
      return chat !== undefined && fits(chat)
    })
    return newest(tab, chatId)
  }
  const patch = (client: ChatClient, chatId: string, change: object, more = {}) =>
    client.patch('/api/chats', { chats: [chatId], change, ...more })

  it('follow a reply from the first message until it was seen', async () => {
    const { ada, tab } = await open()
    const gate = product.model.gate()
    product.model.reply(['An answer', gate, { finish: 'stop' }])
    const chatId = await ada.newChat()
    const sent = await ada.send(chatId, 'A question')
    expect(await next(tab, chatId, ({ running }) => running === true)).toMatchObject({ title: 'A question' })
    expect(newest(tab, chatId)?.unread).toBeUndefined()
    gate.open()
    await sent.ended
    const ended = await next(tab, chatId, ({ unread }) => unread === true)
    expect(ended).toEqual({
      id: chatId,
      title: 'A question',
      update_time: (await ada.readChat(chatId)).update_time,
      unread: true,
      messages: [
        { role: 'user', content: 'A question' },
        { role: 'assistant', content: 'An answer', model: 'scripted' },
      ],
    })
    await patch(ada, chatId, { unread: false }, { seen: ended?.update_time })
    await next(tab, chatId, ({ unread }) => unread === undefined)
    tab.leave()
  })

  it('show a call that waits until it is denied, and no mark after the user has stopped a reply', async () => {
    const { ada, tab } = await open()
    const chatId = await ada.newChat()
    await product.connect(ada, 'polite')
    product.model.reply([callOf('polite', 'act')])
    const asked = await ada.send(chatId, 'Act')
    await asked.ended
    expect(await next(tab, chatId, ({ waiting }) => waiting === true)).toMatchObject({ unread: true })
    product.model.reply(['Then not', product.model.gate()])
    const denied = await ada.send(chatId, 'cancel', { parentId: waitingCall(chatId, asked).messageId })
    await denied.until(({ text }) => text === 'Then not')
    await next(tab, chatId, ({ waiting, unread, running }) => !waiting && !unread && running === true)
    await ada.post('/api/chat/stop', { chatId })
    expect(await next(tab, chatId, ({ running }) => running === undefined)).not.toHaveProperty('unread')
    tab.leave()
  })

  it('show every change, also that a message brings a chat back from the archive, to its user only', async () => {
    const { ada, tab } = await open()
    const eveTab = await openLiveStream(product.base, (await product.join('Eve')).headers)
    const chatId = await ada.newChat()
    await next(tab, chatId, ({ title }) => title === 'New Chat')
    await patch(ada, chatId, { title: 'Mine', pinned: true, archived: true })
    await next(tab, chatId, (chat) => chat.title === 'Mine' && chat.pinned === true && chat.archived === true)
    expect((await patch(ada, chatId, { project_id: 'never-was' })).statusCode).toBe(404)
    const sent = await ada.send(chatId, 'Back')
    await sent.ended
    const back = await next(tab, chatId, ({ unread }) => unread === true)
    expect(back).toMatchObject({ title: 'Mine', title_source: 'user', pinned: true })
    expect(back).not.toHaveProperty('archived')
    expect(eveTab.listed()).toEqual([])
    tab.leave()
    eveTab.leave()
  })

  it('show that a chat is in no project any more when that was deleted', async () => {
    const { ada, tab } = await open()
    const { id } = (await ada.post('/api/project', { name: 'Thesis' })).json<{ id: string }>()
    const chatId = (await ada.get(`/api/chat/id?project=${id}`)).json<{ id: string }>().id
    await next(tab, chatId, ({ project_id }) => project_id === id)
    await ada.delete(`/api/project/${id}`)
    await next(tab, chatId, ({ project_id }) => project_id === undefined)
    tab.leave()
  })

  it('are one message for many chats, and the request to read the list for very many', async () => {
    const { ada, tab } = await open()
    for (let index = 0; index < 201; index++)
      await addChat(product.database.db, { id: `chat-${index}`, user_id: ada.user.id })
    const change = async (count: number, changes: object) => {
      const chats = Array.from({ length: count }, (_, index) => `chat-${index}`)
      await ada.patch('/api/chats', { chats, change: changes })
    }
    await change(200, { pinned: true })
    await tab.until(() => tab.listed().length > 0)
    expect(tab.listed().map(({ chats, gone }) => [chats.length, gone])).toEqual([[200, []]])
    await change(201, { archived: true })
    await tab.until(() => tab.events().length > 1)
    expect(tab.events().slice(1)).toEqual([{ type: 'changed', what: 'chats' }])
    await product.database.db.deleteFrom('chats').where('id', '=', 'chat-7').execute()
    await ada.patch('/api/chats', { chats: ['chat-8', 'chat-7'], change: { archived: false } })
    await tab.until(() => tab.listed().length > 1)
    expect(
      tab
        .listed()
        .at(-1)
        ?.chats.map(({ id }) => id),
    ).toEqual(['chat-8'])
    tab.leave()
  })

  it.runIf(isConcurrent(engine) && engine === 'postgres')('reach pages of every server', async () => {
    const { ada, tab } = await open()
    const remote = await startChatNode(product.database, ada, product.model.baseUrl)
    try {
      const there = createChatClient(remote.base, ada)
      const chatId = await there.newChat()
      const sent = await there.send(chatId, 'Far away')
      await sent.ended
      await next(tab, chatId, ({ unread, running }) => unread === true && !running)
      await patch(there, chatId, { title: 'From there', unread: false })
      await next(tab, chatId, ({ title, unread }) => title === 'From there' && !unread)
      for (let index = 0; index < 250; index++)
        await addChat(product.database.db, { id: `chat-${index}`, user_id: ada.user.id })
      await there.patch('/api/chats', { chats: { section: 'all' }, change: { archived: true } })
      await tab.until(() => tab.events().some((event) => event.type === 'changed'))
      tab.leave()
    } finally {
      await remote.kill()
    }
  })
})
