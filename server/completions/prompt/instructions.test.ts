import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import { calculate, openToolScene, type ToolScene } from '../../testing/chat/open-tool-scene.ts'
import { engines } from '../../testing/database/test-database.ts'

describe.each(engines)('the instructions of a bot and of a project, on %s', (engine) => {
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

  it("of the chat's project stand before those of the bot, from the next request on", async () => {
    const addProject = async (instructions: string) =>
      (await ada.post('/api/project', { name: 'Thesis', instructions })).json<{ id: string }>().id
    const thesis = await addProject('{{user}} writes a thesis.')
    const other = await addProject('')
    const chatId = (await ada.get(`/api/chat/id?project=${thesis}`)).json<{ id: string }>().id
    const said = async (botName: string, project?: string | null) => {
      if (project !== undefined)
        await product.database.db
          .updateTable('chats')
          .set({ project_id: project })
          .where('id', '=', chatId)
          .execute()
      const before = product.model.requests.length
      product.model.reply(['Hi'])
      await (
        await ada.send(chatId, 'Hi', { botName })
      ).ended
      return instructionsSince(before)
    }
    const own = 'You help Ada in UTC. {{unknown}}'
    expect(await said('Told')).toEqual([system(`Ada writes a thesis.\n\n${own}`)])
    expect(await said('Helper')).toEqual([system('Ada writes a thesis.')])
    const { messages } = await ada.readChat(chatId)
    const prompt = await ada.get(`/api/chats/${chatId}/messages/${messages.at(-1)?.id}/prompt`)
    expect(prompt.json()).toMatchObject({ instructions: 'Ada writes a thesis.' })
    await ada.put(`/api/project/${thesis}`, { instructions: 'It is about tides.' })
    expect(await said('Told')).toEqual([system(`It is about tides.\n\n${own}`)])
    expect(await said('Told', other)).toEqual([system(own)])
    expect(await said('Told', null)).toEqual([system(own)])
  })
})
