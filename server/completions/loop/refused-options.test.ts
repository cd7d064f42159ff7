import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import { openToolScene, type ToolScene } from '../../testing/chat/open-tool-scene.ts'
import { engines } from '../../testing/database/test-database.ts'

describe.each(engines)('a reply of a model that refuses an option, on %s', (engine) => {
  let product: ToolScene
  let ada: ChatClient
  beforeAll(async () => {
    product = await openToolScene({ engine })
    ada = product.ada
  })
  afterAll(() => product.close())

  const refuse = (name: string) =>
    product.model.reply([
      { status: 400, body: { error: { message: `Unsupported parameter: '${name}' is not supported.` } } },
    ])
  const notice = (option: string) =>
    `The model strict does not support ${option}, so it was called without it.`
  const bot = { name: 'Strict', model: 'strict', temperature: 0.5, top_p: 0.75 }

  async function ask(chatId: string, text: string) {
    const before = product.model.requests.length
    const stream = await ada.send(chatId, text, { botName: 'Strict' })
    await stream.ended
    const sent = product.model.requests
      .slice(before)
      .map(({ body }) => [body['temperature'], body['top_p'], body['tools'] === undefined])
    return { reply: stream.run.messages[1], messages: stream.run.messages, sent }
  }

  it('calls it again without each option, with one notice for each bot and chat', async () => {
    await ada.post('/api/bot', bot)
    const chatId = await ada.newChat()
    refuse('temperature')
    refuse('top_p')
    product.model.reply(['I am strict.'])
    const first = await ask(chatId, 'Hi')
    expect(first.reply).toMatchObject({
      content: 'I am strict.',
      status: 'complete',
      notice: `${notice('temperature')} ${notice('top-p')}`,
    })
    expect(first.sent).toEqual([
      [0.5, 0.75, false],
      [undefined, 0.75, false],
      [undefined, undefined, false],
    ])
    expect((await ada.readChat(chatId)).messages).toEqual(first.messages)

    product.model.reply(['Still strict.'])
    const second = await ask(chatId, 'And now?')
    expect(second.sent).toEqual([[undefined, undefined, false]])
    expect(second.reply?.notice).toBeUndefined()

    product.model.reply(['Strict here, too.'])
    const elsewhere = await ask(await ada.newChat(), 'And here?')
    expect(elsewhere.reply?.notice).toBe(`${notice('temperature')} ${notice('top-p')}`)
  })

  it('sends the options again when the bot has changed', async () => {
    await ada.put('/api/bot/Strict', { ...bot, temperature: 1 })
    product.model.reply(['I am lenient.'])
    const { sent, reply } = await ask(await ada.newChat(), 'Hi')
    expect(sent).toEqual([[1, 0.75, false]])
    expect(reply?.notice).toBeUndefined()
  })

  it('also omits tools that it refuses', async () => {
    await ada.put('/api/bot/Strict', { ...bot, temperature: 1.5 })
    product.model.reply([{ status: 400, body: { error: { message: '"strict" does not support tools' } } }])
    refuse('temperature')
    product.model.reply(['I can little.'])
    const { sent, reply } = await ask(await ada.newChat(), 'Hi')
    expect(sent).toEqual([
      [1.5, 0.75, false],
      [1.5, 0.75, true],
      [undefined, 0.75, true],
    ])
    expect(reply?.notice).toBe(
      `The model strict does not support tools, so it was called without them. ${notice('temperature')}`,
    )
  })
})
