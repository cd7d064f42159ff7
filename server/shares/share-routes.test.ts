import type { OwnShare } from '@yonder/contract/share'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'
import { openTestApp } from '../testing/test-app.ts'
import { countShares } from './share-store.ts'

const host = 'localhost:3000'
const problem = (code: string) => ({ error: { code, message: expect.any(String) as string } })

describe.each(engines)('own links on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  let eve: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine })
    ada = await product.join('Ada')
    eve = await product.join('Eve')
  })
  afterAll(() => product.close())

  /** Creates a chat with one message and its reply, and returns the ids of both. */
  async function createChat(client: ChatClient, text: string) {
    const chatId = await client.newChat()
    const stream = await client.send(chatId, text)
    await stream.ended
    const [question, reply] = stream.run.messages
    return { chatId, question: question?.id ?? '', reply: reply?.id ?? '' }
  }

  async function share(client: ChatClient, chatId: string, messageId: string): Promise<string> {
    const response = await client.post(`/api/share/${chatId}`, { messageId })
    expect(response.statusCode).toBe(200)
    return response.json<{ shareId: string }>().shareId
  }

  const list = async (client: ChatClient) =>
    (await client.get('/api/shares')).json<{ shares: OwnShare[] }>().shares
  const visit = (id: string) => product.app.inject({ url: `/api/share/${id}`, headers: { host } })
  const rows = () => product.database.db.selectFrom('shares').selectAll().orderBy('id').execute()

  it('creates an unguessable link to a message, and returns the same one the second time (§3.15, §7.10)', async () => {
    const { chatId, question, reply } = await createChat(ada, 'Share me')
    const shareId = await share(ada, chatId, reply)
    expect(shareId).toMatch(/^[\w-]{22}$/)
    expect(await share(ada, chatId, reply)).toBe(shareId)
    expect(await share(ada, chatId, question)).not.toBe(shareId)
    expect((await visit(shareId)).statusCode).toBe(200)
  })

  it('are at most 1,000 of a user; a further one is refused, and a shared message keeps its link', async () => {
    const { db } = product.database
    const grace = await product.join('Grace')
    const { chatId, question, reply } = await createChat(grace, 'Many')
    const shareId = await share(grace, chatId, question)
    const message = await db
      .selectFrom('messages')
      .selectAll()
      .where('chat_id', '=', chatId)
      .where('id', '=', question)
      .executeTakeFirstOrThrow()
    const { position: _position, ...copied } = message
    const numbers = Array.from({ length: 999 }, (_, index) => `copy-${index}`)
    await db
      .insertInto('messages')
      .values(numbers.map((id) => ({ ...copied, id })))
      .execute()
    const stored = { user_id: grace.user.id, chat_id: chatId, created_at: 1, files: 0 }
    await db
      .insertInto('shares')
      .values(numbers.map((id) => ({ ...stored, id: `${id}-${engine}`, message_id: id })))
      .execute()
    const before = await rows()
    const refused = await grace.post(`/api/share/${chatId}`, { messageId: reply })
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toEqual(problem('conflict'))
    expect(await rows()).toEqual(before)
    expect(await share(grace, chatId, question)).toBe(shareId)
    await grace.delete(`/api/share/${shareId}`)
    const atOnce = [question, reply].map((messageId) => grace.post(`/api/share/${chatId}`, { messageId }))
    const statuses = (await Promise.all(atOnce)).map(({ statusCode }) => statusCode)
    expect(statuses.toSorted()).toEqual([200, 409])
    expect(await countShares(db, grace.user)).toBe(1_000)

    // The user sees no link of a deleted chat, and could not revoke one.
    const other = await createChat(grace, 'Another chat')
    expect((await grace.post(`/api/share/${other.chatId}`, {})).statusCode).toBe(409)
    const setDeleted = (deleted_at: number | null) =>
      db.updateTable('chats').set({ deleted_at }).where('id', '=', chatId).execute()
    await setDeleted(1)
    await share(grace, other.chatId, other.reply)
    await setDeleted(null)
    expect((await grace.post(`/api/share/${other.chatId}`, { messageId: other.question })).statusCode).toBe(
      409,
    )
    await db.deleteFrom('shares').where('chat_id', '=', chatId).execute()
  })

  it.runIf(isConcurrent(engine))('returns one link to concurrent requests (§7.10)', async () => {
    const { chatId, reply } = await createChat(ada, 'At once')
    const ids = await Promise.all(Array.from({ length: 8 }, () => share(ada, chatId, reply)))
    expect(new Set(ids).size).toBe(1)
  })

  it('refuses a reply that is still being written, with the reason, and writes nothing', async () => {
    const gate = product.model.gate()
    product.model.reply(['Half', gate, ' whole'])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Slowly')
    await stream.until(({ text }) => text === 'Half')
    const [question, reply] = stream.run.messages
    const before = await rows()
    const refused = await ada.post(`/api/share/${chatId}`, { messageId: reply?.id })
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toEqual(problem('conflict'))
    expect(refused.json<{ error: { message: string } }>().error.message).toContain('still being written')
    expect(await rows()).toEqual(before)
    // The message of the user is already complete.
    await share(ada, chatId, question?.id ?? '')
    gate.open()
    await stream.ended
    await share(ada, chatId, reply?.id ?? '')
  })

  it('does not find a chat or message of another user, or a message of another chat', async () => {
    const own = await createChat(ada, 'Mine')
    const other = await createChat(ada, 'Mine too')
    const foreign = await createChat(eve, 'Not yours')
    await share(eve, foreign.chatId, foreign.reply)
    const before = await rows()
    const bodies = new Set<string>()
    for (const [chatId, messageId] of [
      [foreign.chatId, foreign.reply],
      ['nowhere', own.reply],
    ] as const) {
      const response = await ada.post(`/api/share/${chatId}`, { messageId })
      expect(response.statusCode).toBe(404)
      bodies.add(response.body)
    }
    // The response does not reveal that the chat exists.
    expect(bodies.size).toBe(1)
    for (const messageId of [foreign.reply, other.reply, 'nothing']) {
      const response = await ada.post(`/api/share/${own.chatId}`, { messageId })
      expect([response.statusCode, response.json<unknown>()]).toEqual([404, problem('not_found')])
    }
    expect(await rows()).toEqual(before)
  })

  it('shares a chat as it is shown when no message is named, and refuses an empty one', async () => {
    const own = await createChat(ada, 'Mine')
    const response = await ada.post(`/api/share/${own.chatId}`, {})
    expect(response.json()).toEqual({ shareId: await share(ada, own.chatId, own.reply) })
    const before = await rows()
    const refused = await ada.post(`/api/share/${await ada.newChat()}`, {})
    expect([refused.statusCode, refused.json<unknown>()]).toEqual([409, problem('conflict')])
    expect(await rows()).toEqual(before)
  })

  it.each([{ messageId: '' }, { messageId: 7 }, { messageId: 'a b' }, { messageId: 'x'.repeat(65) }])(
    'refuses the body %j and writes nothing',
    async (body) => {
      const { chatId } = await createChat(ada, 'Hello')
      const before = await rows()
      expect((await ada.post(`/api/share/${chatId}`, body)).statusCode).toBe(400)
      expect(await rows()).toEqual(before)
    },
  )

  it('requires a token, except for reading (§6.2, §6.3, §7.1)', async () => {
    const { chatId, reply } = await createChat(ada, 'Guarded')
    const shareId = await share(ada, chatId, reply)
    const before = await rows()
    const anonymous = (method: 'GET' | 'POST' | 'DELETE', url: string) =>
      product.app.inject({
        method,
        url,
        headers: { host, ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) },
        ...(method === 'POST' ? { payload: JSON.stringify({ messageId: reply }) } : {}),
      })
    for (const response of [
      await anonymous('POST', `/api/share/${chatId}`),
      await anonymous('DELETE', `/api/share/${shareId}`),
      await anonymous('GET', '/api/shares'),
      await product.app.inject({ url: '/api/shares', headers: { host, authorization: `Bearer ${shareId}` } }),
    ]) {
      expect(response.statusCode).toBe(401)
    }
    expect(await rows()).toEqual(before)
    expect((await anonymous('GET', `/api/share/${shareId}`)).statusCode).toBe(200)
  })

  it('lists the links of the user, newest first, each with the start of its chat', async () => {
    const grace = await product.join('Grace')
    expect(await list(grace)).toEqual([])
    const long = `A\n long ${'word '.repeat(60)}`
    const first = await createChat(grace, long)
    const second = await createChat(grace, 'Short')
    const older = await share(grace, first.chatId, first.reply)
    await product.database.db
      .updateTable('shares')
      .set({ created_at: 1_000 })
      .where('id', '=', older)
      .execute()
    const newer = await share(grace, second.chatId, second.reply)
    const shares = await list(grace)
    expect(shares).toEqual([
      { id: newer, title: 'Short', created_at: expect.any(String) as string, files: false },
      {
        id: older,
        title: expect.any(String) as string,
        created_at: '1970-01-01T00:00:01.000Z',
        files: false,
      },
    ])
    expect(shares[1]?.title).toMatch(/^A long word (word )+.*…$/)
    expect(shares[1]?.title.length).toBeLessThanOrEqual(81)
    expect((await list(ada)).map(({ id }) => id)).not.toContain(newer)
  })

  it('revokes a link at once and forever; sharing again creates another link', async () => {
    const { chatId, reply } = await createChat(ada, 'Take it back')
    const shareId = await share(ada, chatId, reply)
    expect((await ada.delete(`/api/share/${shareId}`)).statusCode).toBe(204)
    expect((await visit(shareId)).statusCode).toBe(404)
    expect((await list(ada)).map(({ id }) => id)).not.toContain(shareId)
    expect((await ada.delete(`/api/share/${shareId}`)).statusCode).toBe(404)
    const again = await share(ada, chatId, reply)
    expect(again).not.toBe(shareId)
    expect((await visit(shareId)).statusCode).toBe(404)
    expect((await visit(again)).statusCode).toBe(200)
  })

  it('responds to the link of another user as to a missing one, and does not revoke it', async () => {
    const { chatId, reply } = await createChat(ada, 'Mine to end')
    const shareId = await share(ada, chatId, reply)
    const before = await rows()
    const foreign = await eve.delete(`/api/share/${shareId}`)
    const unknown = await eve.delete('/api/share/unknown')
    const broken = await eve.delete('/api/share/%00')
    expect([foreign.statusCode, unknown.statusCode, broken.statusCode]).toEqual([404, 404, 404])
    expect(new Set([foreign.body, unknown.body, broken.body]).size).toBe(1)
    expect(await rows()).toEqual(before)
    expect((await visit(shareId)).statusCode).toBe(200)
  })

  it('is revoked on every node at once', async () => {
    const second = await openTestApp({ database: product.database })
    const { chatId, reply } = await createChat(ada, 'Two nodes')
    const shareId = await share(ada, chatId, reply)
    const there = () => second.app.inject({ url: `/api/share/${shareId}`, headers: { host } })
    expect((await there()).body).toBe((await visit(shareId)).body)
    await ada.delete(`/api/share/${shareId}`)
    expect((await there()).statusCode).toBe(404)
    await second.close()
  })
})
