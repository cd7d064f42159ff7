import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import { openToolScene, type ToolScene } from '../../testing/chat/open-tool-scene.ts'
import { engines } from '../../testing/database/test-database.ts'

describe.each(engines)('a reply of a model that does not keep to the rules, on %s', (engine) => {
  let product: ToolScene
  let ada: ChatClient
  beforeAll(async () => {
    product = await openToolScene({ engine })
    ada = product.ada
    await ada.post('/api/bot', { name: 'Odd', model: 'odd' })
  })
  afterAll(() => product.close())

  async function ask(chatId: string, text: string) {
    const before = product.model.requests.length
    const stream = await ada.send(chatId, text, { botName: 'Odd' })
    await stream.ended
    const { messages } = await ada.readChat(chatId)
    return {
      streamed: stream.run.messages.at(-1),
      stored: messages.at(-1),
      requests: product.model.requests.length - before,
    }
  }

  it('moves what came before a closing tag into the reasoning, in the stream and in the store', async () => {
    product.model.reply(['It is', ' 2.', '\n</thi', 'nk>\n\nThe answer', ' is 2.'])
    const { streamed, stored } = await ask(await ada.newChat(), '1 + 1?')
    expect(stored).toMatchObject({ content: 'The answer is 2.', reasoning: 'It is 2.\n', status: 'complete' })
    expect(streamed).toEqual(stored)
  })

  it('fails with the reason when the thinking before a closing tag is all there is', async () => {
    product.model.reply(['It is 2.\n</think>'])
    const { streamed, stored } = await ask(await ada.newChat(), '1 + 1?')
    expect(stored).toMatchObject({
      status: 'failed',
      reasoning: 'It is 2.\n',
      error: { message: expect.stringContaining('only reasoning and no reply') as unknown },
    })
    expect(streamed).toEqual(stored)
  })

  it('says why it shows nothing', async () => {
    product.model.reply([{ reasoning: 'Hm.' }, { finish: 'length' }])
    const { stored } = await ask(await ada.newChat(), '1 + 1?')
    expect(stored?.error).toEqual({
      code: 'output_limit',
      message:
        'The model used up its limit for reasoning before it wrote a reply. Raise the max tokens of this bot, or lower its reasoning effort.',
    })
  })

  it('learns nothing from a refusal that is not about the length of the conversation', async () => {
    const refusal = {
      message:
        "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 48 instead.",
      type: 'invalid_request_error',
      param: 'messages[1].tool_calls[0].id',
      code: 'string_above_max_length',
    }
    const chatId = await ada.newChat()
    for (const text of ['One', 'Two', 'Three']) {
      product.model.reply([{ status: 400, body: { error: refusal } }])
      const { stored, requests } = await ask(chatId, text)
      expect(requests).toBe(1)
      expect(stored?.error?.code).toBe('upstream_error')
      expect(stored?.error?.message).toContain('string too long')
    }
    product.model.reply(['Fine.'])
    const other = await ask(await ada.newChat(), 'Hello')
    expect(other).toMatchObject({ requests: 1, stored: { content: 'Fine.' } })
    expect((await ada.readChat(chatId)).compactions).toBeUndefined()
  })

  it('keeps a guess about the context window for the reply that needed it', async () => {
    const chatId = await ada.newChat()
    product.model.reply([{ status: 400, body: { error: { message: 'Input is too long.' } } }])
    product.model.reply(['Short enough.'])
    await ask(chatId, 'word '.repeat(3_000))
    const { requests } = await ask(await ada.newChat(), 'word '.repeat(3_000))
    expect(requests).toBe(1)
  })
})
