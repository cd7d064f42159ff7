import type { ChangedChats, ListedChats } from '@yonder/contract/chat-list'
import { afterEach, describe, expect, it } from 'vitest'
import { createUserData, userDataEnvironment } from '../../testing/chat/create-user-data.ts'
import { createChatClient, type ChatClient } from '../../testing/chat/open-chat-app.ts'
import { openLiveStream } from '../../testing/chat/open-live-stream.ts'
import { openToolApp, type ToolApp } from '../../testing/chat/open-tool-app.ts'
import { startChatNode } from '../../testing/chat/start-chat-node.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines, isConcurrent } from '../../testing/database/test-database.ts'
import { addChat } from '../../testing/factories/chats.ts'
import { statusAndBody } from '../../testing/send-request.ts'

describe.each(engines)('deleting chats, on %s', (engine) => {
  let product: ToolApp
  afterEach(() => product.close())

  const open = async (environment: object = {}) => {
    product = await openToolApp({ engine, environment: { ...userDataEnvironment, ...environment } })
  }
  const setDeleted = (client: ChatClient, chats: unknown, deleted: boolean) =>
    client.patch('/api/chats', { chats, change: { deleted } })
  const changed = async (response: ReturnType<typeof setDeleted>) => {
    const { statusCode, body, json } = await response
    expect([statusCode, body]).toEqual([200, body])
    return json<ChangedChats>()
  }
  const listIds = async (client: ChatClient, section: string) =>
    (await client.get(`/api/chat-list?section=${section}`)).json<ListedChats>().chats.map(({ id }) => id)
  const purge = (client: ChatClient, chats: unknown) => client.post('/api/chats/purge', { chats })
  /** A response to a request that must write nothing. */
  const refused = async (send: () => ReturnType<typeof purge>) => {
    const before = await hashTables(product.database)
    const response = await send()
    expect(await hashTables(product.database)).toEqual(before)
    return statusAndBody(response)
  }

  it('ends their replies, calls and links at once, and restoring them brings back all but those replies', async () => {
    await open()
    const data = await createUserData(product, 'Ada')
    const { client: ada, approvalChat, elicitationChat, runningChat } = data
    const chats = [data.chat, runningChat, approvalChat, data.stepChat, elicitationChat]
    const readShare = async () =>
      (await product.app.inject({ url: `/api/share/${data.share}`, headers: { host: 'localhost:3000' } }))
        .statusCode
    const [running, calling] = [await ada.follow(runningChat), await ada.follow(elicitationChat)]
    const tab = await openLiveStream(product.base, ada.headers)

    const response = await changed(setDeleted(ada, chats, true))
    expect(response.ids).toHaveLength(5)
    expect(response.chats).toEqual(
      chats.map(
        (id) => expect.objectContaining({ id, deleted_time: expect.any(String) as string }) as unknown,
      ),
    )
    await Promise.all([running.ended, calling.ended])
    for (const { events } of [running, calling])
      expect(events.at(-1)).toMatchObject({ type: 'ended', status: 'stopped' })
    expect(await readShare()).toBe(404)
    const approve = () =>
      ada.confirm({
        botName: data.bot,
        server: data.connector,
        tool: 'act',
        args: {},
        chatId: approvalChat,
        messageId: data.approvalCall,
      })
    expect((await approve()).status).toBe(404)
    const read = await ada.get(`/api/chats/${data.chat}`)
    expect([read.statusCode, read.body]).toEqual([404, expect.stringContaining('"code":"chat_deleted"')])
    const eve = await product.join('Eve')
    expect((await eve.get(`/api/chats/${data.chat}`)).body).toContain('"code":"not_found"')
    for (const section of ['all', 'recent']) expect(await listIds(ada, section)).toEqual([])
    expect((await listIds(ada, 'deleted')).toSorted()).toEqual([...chats, data.deletedChat].toSorted())
    await tab.until(() =>
      tab.listed().some((listed) => listed.chats.filter(({ deleted_time }) => deleted_time).length === 5),
    )
    expect((await changed(setDeleted(ada, chats, true))).ids).toHaveLength(0)

    expect((await changed(setDeleted(ada, { section: 'deleted' }, false))).ids).toHaveLength(6)
    expect((await changed(setDeleted(ada, chats, false))).ids).toHaveLength(0)
    expect(await listIds(ada, 'deleted')).toEqual([])
    expect(await listIds(ada, 'recent')).toEqual(expect.arrayContaining(chats))
    expect(await readShare()).toBe(200)
    expect((await ada.readChat(runningChat)).messages.at(-1)).toMatchObject({
      content: data.secret,
      status: 'stopped',
    })
    const approved = await approve()
    expect(approved.status).toBe(200)
    approved.leave()
    tab.leave()
  })

  it('lets two tabs that select all delete each chat once, and keeps what others have', async () => {
    await open()
    const [ada, eve] = [await product.join('Ada'), await product.join('Eve')]
    const theirs = await eve.newChat()
    const ids: string[] = []
    for (let index = 0; index < 300; index++)
      ids.push((await addChat(product.database.db, { id: `chat-${index}`, user_id: ada.user.id })).id)
    const all = { section: 'all' }
    const responses = await Promise.all([
      changed(setDeleted(ada, all, true)),
      changed(setDeleted(ada, [...ids, theirs], true)),
      changed(setDeleted(ada, all, true)),
    ])
    expect(responses.reduce((sum, response) => sum + response.ids.length, 0)).toBe(300)
    expect(await listIds(ada, 'all')).toEqual([])
    expect(await listIds(eve, 'all')).toEqual([theirs])
    expect((await refused(() => purge(ada, [theirs]))).status).toBe(404)
    expect((await refused(() => setDeleted(ada, [theirs], false))).status).toBe(404)
    expect(statusAndBody(await purge(ada, 'all'))).toEqual({ status: 200, body: { purged: 300 } })
    expect(statusAndBody(await purge(ada, 'all'))).toEqual({ status: 200, body: { purged: 0 } })
  })

  it('cannot be undone after they were deleted for good, whether they still exist or not', async () => {
    await open()
    const ada = await product.join()
    const [kept, gone, other] = [await ada.newChat(), await ada.newChat(), await ada.newChat()]
    const tab = await openLiveStream(product.base, ada.headers)
    expect((await refused(() => purge(ada, [kept]))).status).toBe(404)
    await setDeleted(ada, [gone, other], true)
    expect(statusAndBody(await purge(ada, [gone, kept, 'never-was']))).toEqual({
      status: 200,
      body: { purged: 1 },
    })
    await tab.until(() => tab.listed().some((listed) => listed.gone.includes(gone)))
    tab.leave()
    expect([await listIds(ada, 'deleted'), await listIds(ada, 'all')]).toEqual([[other], [kept]])
    const restore = () => setDeleted(ada, [gone], false)
    const tooLate = {
      status: 404,
      body: {
        error: {
          code: 'not_found',
          message: 'There is nothing to restore: what was deleted for good is gone.',
        },
      },
    }
    expect(await refused(restore)).toEqual(tooLate)
    expect((await ada.get(`/api/chats/${gone}`)).body).toContain('"code":"not_found"')
    await product.database.db.deleteFrom('chats').where('id', '=', gone).execute()
    expect(await refused(restore)).toEqual(tooLate)
    expect((await refused(() => purge(ada, [gone]))).status).toBe(404)
    expect((await changed(setDeleted(ada, [gone, other], false))).chats).toMatchObject([{ id: other }])
  })

  it('is refused by default with the setting that allows it, but not restoring what is deleted (§1.9)', async () => {
    await open({ SELF_SERVICE: undefined })
    const ada = await product.join()
    const [kept, deleted] = [await ada.newChat(), await ada.newChat()]
    await product.database.db
      .updateTable('chats')
      .set({ deleted_at: Date.now() })
      .where('id', '=', deleted)
      .execute()
    const forbidden = {
      status: 403,
      body: { error: { code: 'forbidden', message: expect.stringContaining('SELF_SERVICE=on') as string } },
    }
    expect(await refused(() => setDeleted(ada, [kept], true))).toEqual(forbidden)
    expect(await refused(() => setDeleted(ada, { section: 'all' }, true))).toEqual(forbidden)
    expect(await refused(() => purge(ada, 'all'))).toEqual(forbidden)
    expect((await changed(setDeleted(ada, [deleted], false))).ids).toHaveLength(1)
  })

  it('is a change of its own', async () => {
    await open()
    const ada = await product.join()
    const chats = [await ada.newChat()]
    const response = await refused(() =>
      ada.patch('/api/chats', { chats, change: { deleted: true, pinned: true } }),
    )
    expect(response.body).toMatchObject({ error: { message: 'change.deleted: must be the only change' } })
  })

  it.runIf(isConcurrent(engine) && engine === 'postgres')(
    'stops a reply that another server writes',
    async () => {
      await open()
      const ada = await product.join()
      const remote = await startChatNode(product.database, ada, product.model.baseUrl)
      try {
        const there = createChatClient(remote.base, ada)
        product.model.reply(['So far', product.model.gate()])
        const chatId = await there.newChat()
        const stream = await there.send(chatId, 'Go on')
        await stream.until(({ text }) => text === 'So far')
        await setDeleted(ada, [chatId], true)
        await stream.ended
        expect(stream.events.at(-1)).toMatchObject({ type: 'ended', status: 'stopped' })
      } finally {
        await remote.kill()
      }
    },
  )
})
