import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChatApp } from '../../testing/chat/open-chat-app.ts'
import type { ChatApp, ChatClient } from '../../testing/chat/open-chat-app.ts'
import { engines } from '../../testing/database/test-database.ts'
import { statusAndBody } from '../../testing/send-request.ts'

describe.each(engines)('stop on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine })
    ada = await product.join()
  })
  afterAll(() => product.close())

  /** A reply that would take a minute. */
  const slow = () => Array.from({ length: 3_000 }, (_, index) => [`${index} `, { delay: 20 }]).flat()

  it.each([
    ['at once', ''],
    ['after the first text', '0 '],
    ['after a few words', '10 '],
    ['after many words', '40 '],
  ])('%s aborts the upstream request and keeps the partial text (§4.15, §17.6)', async (_moment, shown) => {
    // A run that is stopped at once may end before the model is called.
    product.model.when('Count', slow())
    product.model.when('Again', ['next', { finish: 'stop' }])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Count')
    if (shown !== '') await stream.until(({ text }) => text.includes(shown))
    const response = await ada.post('/api/chat/stop', { chatId })
    expect(statusAndBody(response)).toEqual({ status: 200, body: { stopped: true } })
    await stream.ended
    expect(stream.events.at(-1)).toMatchObject({ type: 'ended', status: 'stopped' })
    await expect.poll(() => product.model.openRequests, { timeout: 10_000 }).toBe(0)
    const chat = await ada.readChat(chatId)
    expect(chat.messages[1]).toMatchObject({ status: 'stopped', content: stream.text })
    expect(chat.run).toBeNull()
    const next = await ada.send(chatId, 'Again')
    await next.ended
    expect(next.text).toBe('next')
  })

  it('returns that nothing was stopped when there is no run', async () => {
    const chatId = await ada.newChat()
    expect(statusAndBody(await ada.post('/api/chat/stop', { chatId }))).toEqual({
      status: 200,
      body: { stopped: false },
    })
    await (
      await ada.send(chatId, 'Hi')
    ).ended
    expect(statusAndBody(await ada.post('/api/chat/stop', { chatId }))).toEqual({
      status: 200,
      body: { stopped: false },
    })
  })

  it('is refused for another user, and the run continues (§17.22)', async () => {
    const gate = product.model.gate()
    product.model.reply(['mine', gate, ' whole', { finish: 'stop' }])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Hi')
    await stream.until(({ text }) => text === 'mine')
    const eve = await product.join('Eve')
    expect((await eve.post('/api/chat/stop', { chatId })).statusCode).toBe(404)
    gate.open()
    await stream.ended
    expect(stream.text).toBe('mine whole')
  })
})
