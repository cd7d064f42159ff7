import type { Compaction } from '@yonder/contract/compaction'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines } from '../testing/database/test-database.ts'
import { addCompaction, addPath } from '../testing/factories/chats.ts'

const long = 'The mountains are high and the valleys are green. '.repeat(20)

describe.each(engines)('a summary of older messages, on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  /** By how much the clock of the process is ahead. */
  let aheadMs = 0

  beforeAll(async () => {
    product = await openChatApp({ engine, deps: { now: () => Date.now() + aheadMs } })
    ada = await product.join('Ada')
  })
  beforeEach(() => {
    aheadMs = 0
  })
  afterAll(() => product.close())

  /** A chat with the summary 'Before.' of its first two messages. */
  async function openSummarized(): Promise<{ chatId: string; address: string; compaction: Compaction }> {
    const chatId = await ada.newChat()
    const { db } = product.database
    await db.transaction().execute(async (trx) => {
      await addPath(trx, { id: chatId, updated_at: 1 }, [
        { id: 'q1', content: long },
        { id: 'a1', role: 'assistant', content: long },
        { id: 'q2', content: 'And then?' },
        { id: 'a2', role: 'assistant', content: 'Then nothing.' },
      ])
      await addCompaction(trx, { chat_id: chatId, message_id: 'a1', content: 'Before.' })
    })
    const [compaction] = (await ada.readChat(chatId)).compactions ?? []
    if (compaction === undefined) throw new Error('The chat has no summary.')
    return { chatId, address: `/api/chats/${chatId}/compactions/${compaction.id}`, compaction }
  }

  const read = async (chatId: string) => (await ada.readChat(chatId)).compactions?.[0]
  const lastPrompt = () => JSON.stringify(product.model.requests.at(-1)?.body.messages)

  it('is sent instead of the messages that it replaces', async () => {
    const { chatId } = await openSummarized()
    await (
      await ada.send(chatId, 'More')
    ).ended
    expect(lastPrompt()).toContain('The earlier 2 messages of this conversation are replaced by a summary')
    expect(lastPrompt()).toContain('Before.')
    expect(lastPrompt()).not.toContain('valleys')
    expect(lastPrompt()).toContain('And then?')
  })

  it('can be changed, and the next request contains the new text', async () => {
    const { chatId, address } = await openSummarized()
    const response = await ada.put(address, { content: 'Changed.' })
    expect(response.json()).toMatchObject({ content: 'Changed.', edited: true })
    expect(await read(chatId)).toEqual(response.json())
    await (
      await ada.send(chatId, 'More')
    ).ended
    expect(lastPrompt()).toContain('Changed.')
  })

  it('can be removed, and the messages are sent again', async () => {
    const { chatId, address } = await openSummarized()
    expect((await ada.delete(address)).statusCode).toBe(204)
    expect(await read(chatId)).toBeUndefined()
    await (
      await ada.send(chatId, 'More')
    ).ended
    expect(lastPrompt()).toContain('valleys')
    expect((await ada.delete(address)).statusCode).toBe(404)
  })

  it('can be written again by a bot', async () => {
    const { chatId, address } = await openSummarized()
    product.model.reply(['All about mountains.'])
    const response = await ada.post(`${address}/rewrite`, { botName: 'Helper' })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({ content: 'All about mountains.', bot: 'Helper', edited: false })
    expect(lastPrompt()).toContain('valleys')
    expect(lastPrompt()).not.toContain('And then?')
    expect(await read(chatId)).toEqual(response.json())
  })

  it('counts what writing it again used, even when it fails', async () => {
    const { chatId, address, compaction } = await openSummarized()
    const tokens = { usage: { prompt_tokens: 90, completion_tokens: 5 } }
    product.model.reply(['All about mountains.', tokens])
    await ada.post(`${address}/rewrite`, { botName: 'Helper' })
    product.model.reply([' ', tokens])
    expect((await ada.post(`${address}/rewrite`, { botName: 'Helper' })).statusCode).toBe(502)
    const used = await ada.get(`/api/chats/${chatId}/usage?messageIds=${compaction.id}`)
    const call = { message_id: compaction.id, kind: 'summary', bot: 'Helper', input_tokens: 90 }
    expect(used.json()).toMatchObject({ calls: [call, call], total: { calls: 2, output_tokens: 10 } })
  })

  it('is written again by one request at a time, and cannot be changed meanwhile', async () => {
    const { chatId, address } = await openSummarized()
    const gate = product.model.gate()
    product.model.reply([gate, 'The first.'])
    const count = product.model.requests.length
    const first = ada.post(`${address}/rewrite`, { botName: 'Helper' })
    await product.model.received(count + 1)
    const second = await ada.post(`${address}/rewrite`, { botName: 'Helper' })
    expect(second.statusCode).toBe(409)
    const { rewriting_until = '' } = (await read(chatId)) ?? {}
    expect(Date.parse(rewriting_until)).toBeGreaterThan(Date.now())
    expect((await ada.put(address, { content: 'Mine.' })).statusCode).toBe(409)
    gate.open()
    expect((await first).json()).toMatchObject({ content: 'The first.' })
    expect(await read(chatId)).not.toHaveProperty('rewriting_until')
    expect(product.model.requests.length).toBe(count + 1)
    expect((await ada.put(address, { content: 'Mine.' })).statusCode).toBe(200)
    expect(await read(chatId)).toMatchObject({ content: 'Mine.' })
  })

  it.each([
    [
      'was removed',
      404,
      'There is no such summary',
      (id: string) => product.database.db.deleteFrom('compactions').where('id', '=', id).execute(),
    ],
    [
      'was reserved by another request after the time limit',
      409,
      'Writing the summary again took too long',
      (id: string) =>
        product.database.db.updateTable('compactions').set({ held_until: 5 }).where('id', '=', id).execute(),
    ],
  ] as const)('that %s while it is written again is not changed', async (_, status, message, change) => {
    const { chatId, address, compaction } = await openSummarized()
    const gate = product.model.gate()
    product.model.reply([gate, 'Too late.'])
    const count = product.model.requests.length
    const rewriting = ada.post(`${address}/rewrite`, { botName: 'Helper' })
    await product.model.received(count + 1)
    await change(compaction.id)
    gate.open()
    const response = await rewriting
    expect([response.statusCode, response.body]).toEqual([status, expect.stringContaining(message)])
    expect((await read(chatId))?.content).toBe(status === 404 ? undefined : 'Before.')
  })

  it('stays reserved for a process whose clock is ahead of the database', async () => {
    const { address } = await openSummarized()
    const gate = product.model.gate()
    product.model.reply([gate, 'The first.'])
    const count = product.model.requests.length
    const first = ada.post(`${address}/rewrite`, { botName: 'Helper' })
    await product.model.received(count + 1)
    aheadMs = 600_000
    expect((await ada.post(`${address}/rewrite`, { botName: 'Helper' })).statusCode).toBe(409)
    expect((await ada.put(address, { content: 'Mine.' })).statusCode).toBe(409)
    gate.open()
    expect((await first).json()).toMatchObject({ content: 'The first.' })
  })

  it('stays as it was when it cannot be written again, and can be written later', async () => {
    const { chatId, address, compaction } = await openSummarized()
    product.model.reply([{ status: 401, body: { error: { message: 'no such key' } } }])
    const failed = await ada.post(`${address}/rewrite`, { botName: 'Helper' })
    expect(failed.statusCode).toBe(502)
    expect(failed.json()).toMatchObject({
      error: { message: expect.stringContaining('The summary could not be written again: ') as string },
    })
    expect(await read(chatId)).toEqual(compaction)
    product.model.reply(['Now it works.'])
    expect((await ada.post(`${address}/rewrite`, { botName: 'Helper' })).statusCode).toBe(200)
  })

  it('is not replaced by a change of an earlier text, which is refused and writes nothing', async () => {
    const { chatId, address, compaction } = await openSummarized()
    const seen = { time: compaction.time }
    const changed = await ada.put(address, { content: 'First.', ...seen })
    expect(changed.statusCode).toBe(200)
    const before = await hashTables(product.database)
    const refused = await ada.put(address, { content: 'Second.', ...seen })
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toMatchObject({
      error: { code: 'conflict', message: expect.stringContaining('changed in the meantime') as string },
    })
    expect(await hashTables(product.database)).toEqual(before)
    const { time } = changed.json<Compaction>()
    expect((await ada.put(address, { content: 'Second.', time })).statusCode).toBe(200)
    expect(await read(chatId)).toMatchObject({ content: 'Second.' })
  })

  it.each([
    ['an empty text', { content: ' \n' }],
    ['no text', {}],
    ['a time that is none', { content: 'Mine.', time: 'yesterday' }],
    ['a text of 100,001 characters', { content: 'x'.repeat(100_001) }],
  ])('refuses %s, and writes nothing', async (_, body) => {
    const { address } = await openSummarized()
    const before = await hashTables(product.database)
    const response = await ada.put(address, body)
    expect([response.statusCode, response.body]).toEqual([400, expect.stringMatching(/content|time/)])
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('is not written again by a bot that does not exist', async () => {
    const { address } = await openSummarized()
    const count = product.model.requests.length
    expect((await ada.post(`${address}/rewrite`, { botName: 'Nobody' })).statusCode).toBe(404)
    expect(product.model.requests.length).toBe(count)
  })
})
