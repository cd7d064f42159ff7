import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import { calculate, openToolScene, type ToolScene } from '../../testing/chat/open-tool-scene.ts'
import { engines } from '../../testing/database/test-database.ts'

describe.each(engines)('the instructions of a bot, on %s', (engine) => {
  let product: ToolScene
  let ada: ChatClient
  beforeAll(async () => {
    product = await openToolScene({ engine })
    ada = product.ada
    const instructions = 'You help {{user}} in {{time_zone}}. {{unknown}}'
    await ada.post('/api/bot', { name: 'Told', model: 'm', instructions, temperature: 0.5 })
  })
  afterAll(() => product.close())

  const instructionsSince = (count: number) =>
    product.model.requests.slice(count).map(({ body }) => body.messages?.[0])
  const system = (content: string) => ({ role: 'system', content })

  it('are in every request of a run, with the time zone of its browser', async () => {
    const before = product.model.requests.length
    product.model.reply([calculate('1 + 1')])
    product.model.reply(['2'])
    const sent = await ada.send(await ada.newChat(), 'Add', { botName: 'Told', time_zone: 'Asia/Tokyo' })
    await sent.ended
    const expected = system('You help Ada in Asia/Tokyo. {{unknown}}')
    expect(instructionsSince(before)).toEqual([expected, expected])
    expect(product.model.requests.at(-1)?.body['temperature']).toBe(0.5)
  })

  it.each([undefined, null, 'Mars/Olympus'])(
    'have UTC when the browser sends the time zone %j',
    async (time_zone) => {
      const before = product.model.requests.length
      product.model.reply(['Hi'])
      const sent = await ada.send(await ada.newChat(), 'Hi', { botName: 'Told', time_zone })
      await sent.ended
      expect(instructionsSince(before)).toEqual([system('You help Ada in UTC. {{unknown}}')])
    },
  )
})
