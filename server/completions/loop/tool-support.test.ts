import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import { calculate, openToolScene, type ToolScene } from '../../testing/chat/open-tool-scene.ts'
import { engines } from '../../testing/database/test-database.ts'

describe.each(engines)('a reply that calls tools, on %s', (engine) => {
  let product: ToolScene
  let ada: ChatClient
  beforeAll(async () => {
    product = await openToolScene({ engine })
    ada = product.ada
  })
  afterAll(() => product.close())

  describe('of a model without tool support', () => {
    const refusal = [{ status: 400, body: { error: { message: '"tiny" does not support tools' } } }] as const

    it('calls it again without tools, with one notice for each bot and chat', async () => {
      await ada.post('/api/bot', { name: 'Tiny', model: 'tiny' })
      const chatId = await ada.newChat()
      product.model.reply(refusal)
      product.model.reply(['I am small.'])
      const first = await ada.send(chatId, 'Hi', { botName: 'Tiny' })
      await first.ended
      expect(first.run.messages[1]).toMatchObject({
        content: 'I am small.',
        status: 'complete',
        notice: expect.stringContaining('does not support tools') as string,
      })
      expect(product.model.requests.at(-2)?.body['tools']).toBeDefined()
      expect(product.model.requests.at(-1)?.body['tools']).toBeUndefined()
      expect((await ada.readChat(chatId)).messages).toEqual(first.run.messages)
      const requestsBefore = product.model.requests.length
      product.model.reply(['Still small.'])
      const second = await ada.send(chatId, 'And now?', { botName: 'Tiny' })
      await second.ended
      expect(second.run.messages[1]?.notice).toBeUndefined()
      expect(product.model.requests.length).toBe(requestsBefore + 1)
    })

    it('sends tools again when the path of its API has changed', async () => {
      await ada.post('/api/bot', { name: 'Moved', model: 'tiny' })
      product.model.reply(refusal)
      product.model.reply(['I am small.'])
      const chatId = await ada.newChat()
      await (
        await ada.send(chatId, 'Hi', { botName: 'Moved' })
      ).ended
      await ada.put('/api/bot/Moved', {
        name: 'Moved',
        model: 'tiny',
        custom_api_path: '/chat/completions',
      })
      product.model.reply(['I have grown.'])
      await (
        await ada.send(chatId, 'And now?', { botName: 'Moved' })
      ).ended
      expect(product.model.requests.at(-1)?.body['tools']).toBeDefined()
    })

    it('describes earlier tool calls as text', async () => {
      product.model.reply(['I count.', calculate('20 + 3')])
      product.model.reply(['It is 23.'])
      const { chatId, stream } = await product.sendNew('Add')
      await stream.ended
      product.model.reply(['Ah.'])
      const next = await ada.send(chatId, 'And you?', { botName: 'Tiny' })
      await next.ended
      const messages = product.sentToModel() ?? []
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
      expect(messages[1]?.content).toContain('default__calculate')
      expect(messages[2]?.content).toContain('\n23\n')
    })
  })
})
