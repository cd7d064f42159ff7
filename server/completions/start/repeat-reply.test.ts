import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countChatRows } from '../../testing/chat/count-chat-rows.ts'
import { openChatApp, type ChatApp, type ChatClient } from '../../testing/chat/open-chat-app.ts'
import { engines, isConcurrent } from '../../testing/database/test-database.ts'

const problem = (code: string) => ({ error: { code, message: expect.any(String) as string } })

describe.each(engines)('completions on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine })
    ada = await product.join('Ada')
  })
  afterAll(() => product.close())

  const countRows = (chatId: string) => countChatRows(product.database.db, chatId)

  describe('a message that is sent again with the same id', () => {
    it('is not stored again: its stream is repeated and the model is not called', async () => {
      const gate = product.model.gate()
      product.model.reply(['Once', gate, ' only', { finish: 'stop' }])
      const chatId = await ada.newChat()
      const before = product.model.requests.length
      const first = await ada.send(chatId, 'Hi', { id: 'm1', parentId: null })
      await first.until(({ text }) => text === 'Once')
      const second = await ada.send(chatId, 'Hi', { id: 'm1', parentId: null })
      await second.until(({ text }) => text === 'Once')
      gate.open()
      await Promise.all([first.ended, second.ended])
      expect(second.run).toEqual(first.run)
      const third = await ada.send(chatId, 'Hi', { id: 'm1' })
      await third.ended
      expect(third.raw).toBe(first.raw)
      expect(product.model.requests.length).toBe(before + 1)
      expect(await countRows(chatId)).toEqual({ messages: 2, runs: 1 })
    })

    it('is replayed from the messages when the log is removed', async () => {
      product.model.reply([{ reasoning: 'hm' }, 'kept', { finish: 'stop' }])
      const chatId = await ada.newChat()
      const first = await ada.send(chatId, 'Hi', { id: 'm1' })
      await first.ended
      await product.database.db.deleteFrom('runs').where('chat_id', '=', chatId).execute()
      const again = await ada.send(chatId, 'Hi', { id: 'm1' })
      await again.ended
      expect(again.run.messages).toEqual(first.run.messages)
      expect(again.raw.endsWith('data: [DONE]\n\n')).toBe(true)
    })

    it('is refused when the content differs, and nothing is written', async () => {
      const chatId = await ada.newChat()
      await (
        await ada.send(chatId, 'Hi', { id: 'm1' })
      ).ended
      for (const body of [
        { content: 'Ho', id: 'm1' },
        { content: 'Hi', id: 'm1', parentId: 'm1' },
      ]) {
        const stream = await ada.complete({ chatId, ...body })
        await stream.ended
        expect(stream.status).toBe(409)
        expect(JSON.parse(stream.raw)).toEqual(problem('conflict'))
      }
      expect(await countRows(chatId)).toEqual({ messages: 2, runs: 1 })
    })

    it.runIf(isConcurrent(engine))(
      'is stored once and calls the model once in 64 concurrent requests',
      async () => {
        const chatId = await ada.newChat()
        const before = product.model.requests.length
        const streams = await Promise.all(
          Array.from({ length: 64 }, () => ada.send(chatId, 'at once', { id: 'm1', parentId: null })),
        )
        await Promise.all(streams.map((stream) => stream.ended))
        expect(new Set(streams.map((stream) => stream.status))).toEqual(new Set([200]))
        for (const { run, raw } of streams) expect(run.messages, raw).toEqual(streams[0]?.run.messages)
        expect(await countRows(chatId)).toEqual({ messages: 2, runs: 1 })
        expect(product.model.requests.length).toBe(before + 1)
      },
    )
  })

  describe('a chat with an active run', () => {
    it('refuses another message and a regeneration, and writes nothing', async () => {
      const gate = product.model.gate()
      product.model.reply(['slow', gate, { finish: 'stop' }])
      const chatId = await ada.newChat()
      const running = await ada.send(chatId, 'Hi', { id: 'm1' })
      await running.until(({ text }) => text === 'slow')
      for (const body of [
        { content: 'again' },
        { content: 'again', parentId: null },
        { userMessageId: 'm1' },
      ]) {
        const refused = await ada.complete({ chatId, ...body })
        await refused.ended
        expect(refused.status).toBe(409)
        expect(JSON.parse(refused.raw)).toEqual(problem('run_active'))
      }
      expect(await countRows(chatId)).toEqual({ messages: 2, runs: 1 })
      gate.open()
      await running.ended
      expect(running.run.status).toBe('complete')
    })

    it.runIf(isConcurrent(engine))('accepts only one of two concurrent regenerations', async () => {
      const chatId = await ada.newChat()
      await (
        await ada.send(chatId, 'Hi', { id: 'm1' })
      ).ended
      const gate = product.model.gate()
      product.model.reply(['one', gate, { finish: 'stop' }])
      const both = await Promise.all([1, 2].map(() => ada.complete({ chatId, userMessageId: 'm1' })))
      expect(both.map((stream) => stream.status).sort()).toEqual([200, 409])
      gate.open()
      await Promise.all(both.map((stream) => stream.ended))
      expect(await countRows(chatId)).toEqual({ messages: 3, runs: 2 })
    })
  })
})
