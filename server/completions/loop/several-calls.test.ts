import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import { callOf, waitingCall } from '../../testing/chat/open-tool-app.ts'
import { calculate, openToolScene, type ToolScene } from '../../testing/chat/open-tool-scene.ts'
import { engines, isConcurrent } from '../../testing/database/test-database.ts'

describe.each(engines)('a reply that calls tools, on %s', (engine) => {
  let product: ToolScene
  let ada: ChatClient
  beforeAll(async () => {
    product = await openToolScene({ engine })
    ada = product.ada
    await product.connect(ada, 'polite')
  })
  afterAll(() => product.close())

  describe('several at once', () => {
    it('runs them one after the other, and calls the model once with all results', async () => {
      product.model.reply(['Both.', calculate('1 + 1', 'aaaaaaaaa'), calculate('2 + 2', 'bbbbbbbbb')])
      product.model.reply(['2 and 4.'])
      const { chatId, stream } = await product.sendNew('Two sums')
      await stream.ended
      expect(stream.run.messages).toMatchObject([
        { role: 'user' },
        { content: 'Both.', arguments: '{"expression":"1 + 1"}' },
        { content: '2' },
        { content: '', arguments: '{"expression":"2 + 2"}' },
        { content: '4' },
        { content: '2 and 4.' },
      ])
      expect(product.sentToModel()).toMatchObject([
        { role: 'user' },
        { role: 'assistant', content: 'Both.', tool_calls: [{ id: 'aaaaaaaaa' }, { id: 'bbbbbbbbb' }] },
        { role: 'tool', tool_call_id: 'aaaaaaaaa', content: expect.stringContaining('\n2\n') as string },
        { role: 'tool', tool_call_id: 'bbbbbbbbb', content: expect.stringContaining('\n4\n') as string },
      ])
      expect((await ada.readChat(chatId)).messages).toEqual(stream.run.messages)
    })

    it('requests approval for each, and continues in the stream of the last confirmation (§4.20)', async () => {
      product.model.reply([calculate('1 + 1', 'aaaaaaaaa'), callOf('polite', 'act', {}, 'bbbbbbbbb')])
      const { chatId, stream } = await product.sendNew('A sum and an act')
      await stream.ended
      expect(stream.run.messages).toMatchObject([
        {},
        { call: { state: 'answered' } },
        { content: '2' },
        { call: { state: 'waiting' }, tool: 'act' },
      ])
      product.model.reply(['All done.'])
      const confirmed = await ada.confirm(waitingCall(chatId, stream))
      await confirmed.ended
      expect(confirmed.text).toBe('All done.')
      expect(product.sentToModel()).toMatchObject([
        {},
        { role: 'assistant', tool_calls: [{ id: 'aaaaaaaaa' }, { id: 'bbbbbbbbb' }] },
        { tool_call_id: 'aaaaaaaaa' },
        { tool_call_id: 'bbbbbbbbb' },
      ])
      expect((await ada.readChat(chatId)).messages).toHaveLength(6)
    })

    it.runIf(engine === 'postgres' && isConcurrent(engine))(
      'calls the model while the denials are being recorded',
      async () => {
        product.model.reply([
          callOf('polite', 'act', { n: 1 }, 'aaaaaaaaa'),
          callOf('polite', 'act', { n: 2 }, 'bbbbbbbbb'),
        ])
        const { chatId, stream } = await product.sendNew('Two things')
        await stream.ended
        const [requestsBefore, records] = [
          product.model.requests.length,
          (await product.listRecords(ada)).length,
        ]
        product.model.reply(['Neither, then.'])
        const denied = product.database.db.transaction().execute(async (trx) => {
          await sql`lock table tool_calls in exclusive mode`.execute(trx)
          const answer = ada.send(chatId, 'cancel', { parentId: stream.run.messages.at(-1)?.id })
          await expect.poll(() => product.model.requests.length).toBe(requestsBefore + 1)
          return { answer }
        })
        const answer = await (await denied).answer
        await answer.ended
        expect(answer.text).toBe('Neither, then.')
        expect(await product.listRecords(ada)).toHaveLength(records + 2)
      },
    )

    it('denies one call, asks about the others with their places, and calls the model when all are decided (§4.22)', async () => {
      product.model.reply([
        callOf('polite', 'act', { n: 1 }, 'aaaaaaaaa'),
        calculate('1 + 1', 'bbbbbbbbb'),
        callOf('polite', 'act', { n: 2 }, 'ccccccccc'),
      ])
      const { chatId, stream } = await product.sendNew('Three things')
      await stream.ended
      expect(stream.run.messages.at(-1)?.call).toMatchObject({
        state: 'waiting',
        place: { index: 1, total: 3 },
      })
      const [requests, calls, records] = [
        product.model.requests.length,
        await product.countCalls('polite'),
        (await product.listRecords(ada)).length,
      ]
      const first = stream.run.messages.at(-1)
      const denied = await ada.send(chatId, 'cancel', { parentId: first?.id, denyOne: true })
      await denied.ended
      // The sum needs no approval, so it runs, and the third call needs approval.
      expect(denied.run.messages).toMatchObject([
        { role: 'user', content: 'cancel' },
        { tool: 'calculate', call: { state: 'answered', place: { index: 2, total: 3 } } },
        { content: '2' },
        { tool: 'act', call: { state: 'waiting', place: { index: 3, total: 3 } } },
      ])
      expect(product.model.requests).toHaveLength(requests)
      expect(await product.countCalls('polite')).toBe(calls)
      const chat = await ada.readChat(chatId)
      expect(chat.messages.find(({ id }) => id === first?.id)?.call).toMatchObject({ state: 'denied' })
      expect(
        (await product.listRecords(ada)).slice(records).filter(({ approval }) => approval === 'denied'),
      ).toEqual([{ tool: 'act', approval: 'denied', outcome: 'denied' }])

      product.model.reply(['Two of three.'])
      const confirmed = await ada.confirm(waitingCall(chatId, denied))
      await confirmed.ended
      expect(confirmed.text).toBe('Two of three.')
      expect(product.sentToModel()).toMatchObject([
        { role: 'user', content: 'Three things' },
        { role: 'assistant', tool_calls: [{ id: 'aaaaaaaaa' }, { id: 'bbbbbbbbb' }, { id: 'ccccccccc' }] },
        { tool_call_id: 'aaaaaaaaa', content: 'This call was denied by the user.' },
        { tool_call_id: 'bbbbbbbbb', content: expect.stringContaining('\n2\n') as string },
        { tool_call_id: 'ccccccccc', content: expect.stringContaining('\ndone\n') as string },
      ])
      expect(product.sentToModel()).toHaveLength(5)
    })

    it('refuses to deny a call that was decided already, and writes nothing', async () => {
      product.model.reply([
        callOf('polite', 'act', { n: 1 }, 'aaaaaaaaa'),
        callOf('polite', 'act', { n: 2 }, 'bbbbbbbbb'),
      ])
      const { chatId, stream } = await product.sendNew('Two things')
      await stream.ended
      const parentId = stream.run.messages.at(-1)?.id
      const denied = await ada.send(chatId, 'cancel', { parentId, denyOne: true })
      await denied.ended
      const [before, requests] = [await ada.readChat(chatId), product.model.requests.length]
      const late = await ada.send(chatId, 'cancel', { parentId, denyOne: true })
      await late.ended
      expect([late.status, late.raw]).toEqual([
        409,
        expect.stringContaining('This call was already denied at '),
      ])
      expect(await ada.readChat(chatId)).toEqual(before)
      expect(product.model.requests).toHaveLength(requests)
    })

    it('denies the last call with the message that the model then reads, and one call again when it is regenerated (§4.22)', async () => {
      product.model.reply([
        callOf('polite', 'act', { n: 1 }, 'aaaaaaaaa'),
        callOf('polite', 'act', { n: 2 }, 'bbbbbbbbb'),
      ])
      const { chatId, stream } = await product.sendNew('Two things')
      await stream.ended
      const denyOne = async (from: typeof stream, content = 'cancel') => {
        const answer = await ada.send(chatId, content, {
          parentId: from.run.messages.at(-1)?.id,
          denyOne: true,
        })
        await answer.ended
        return answer
      }
      const second = await denyOne(stream, 'Use 3 instead')
      const requests = product.model.requests.length
      // Another reply to the message that denied the first call asks about the second call again.
      const again = await ada.complete({ chatId, userMessageId: second.run.messages[0]?.id })
      await again.ended
      expect(again.run.messages.at(-1)?.call).toMatchObject({
        state: 'waiting',
        place: { index: 2, total: 2 },
      })
      expect(product.model.requests).toHaveLength(requests)
      product.model.reply(['Neither, then.'])
      const last = await denyOne(again)
      expect(last.text).toBe('Neither, then.')
      expect(product.sentToModel()?.slice(1)).toMatchObject([
        { role: 'assistant', tool_calls: [{ id: 'aaaaaaaaa' }, { id: 'bbbbbbbbb' }] },
        { tool_call_id: 'aaaaaaaaa', content: 'This call was denied by the user, who wrote: Use 3 instead' },
        { tool_call_id: 'bbbbbbbbb', content: 'This call was denied by the user.' },
        { role: 'assistant', content: '[No reply]' },
        { role: 'user', content: 'cancel' },
      ])
    })

    it('denies the remaining calls together with the pending one (§4.22)', async () => {
      product.model.reply([
        callOf('polite', 'act', { n: 1 }, 'aaaaaaaaa'),
        calculate('1 + 1', 'bbbbbbbbb'),
        callOf('polite', 'act', { n: 2 }, 'ccccccccc'),
      ])
      const { chatId, stream } = await product.sendNew('Three things')
      await stream.ended
      const records = (await product.listRecords(ada)).length
      product.model.reply(['None, then.'])
      const denied = await ada.send(chatId, 'cancel', { parentId: stream.run.messages.at(-1)?.id })
      await denied.ended
      expect(product.sentToModel()).toMatchObject([
        {},
        { role: 'assistant', tool_calls: [{ id: 'aaaaaaaaa' }, { id: 'bbbbbbbbb' }, { id: 'ccccccccc' }] },
        { tool_call_id: 'aaaaaaaaa', content: 'This call was denied by the user.' },
        { tool_call_id: 'bbbbbbbbb', content: 'This call was denied by the user.' },
        { tool_call_id: 'ccccccccc', content: 'This call was denied by the user.' },
        { role: 'assistant', content: '[No reply]' },
        { role: 'user', content: 'cancel' },
      ])
      const lines = (await product.listRecords(ada)).slice(records)
      expect(lines.map(({ tool }) => tool).toSorted()).toEqual(['act', 'act', 'calculate'])
      expect(new Set(lines.map(({ approval }) => approval))).toEqual(new Set(['denied']))
    })
  })
})
