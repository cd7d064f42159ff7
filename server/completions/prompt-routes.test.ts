import { SentPrompt } from '@yonder/contract/sent-prompt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatClient } from '../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, type ToolApp } from '../testing/chat/open-tool-app.ts'
import { engines } from '../testing/database/test-database.ts'
import { addCompaction, addPath } from '../testing/factories/chats.ts'
import { maxPromptTexts } from './prompt/sent-prompt-store.ts'

describe.each(engines)('what the model was given, on %s', (engine) => {
  let product: ToolApp
  let ada: ChatClient

  beforeAll(async () => {
    product = await openToolApp({ engine })
    ada = await product.join('Ada')
    await product.connect(ada, 'polite', { allow_tools: null })
    await ada.post('/api/bot', {
      name: 'Instructed',
      model: 'm',
      instructions: 'Help {{user}}.',
      temperature: 0.5,
      max_tokens: 500,
    })
  })
  afterAll(() => product.close())

  const read = (chatId: string, messageId: string | undefined) =>
    ada.get(`/api/chats/${chatId}/messages/${messageId}/prompt`)

  async function readPrompt(chatId: string, messageId: string | undefined): Promise<SentPrompt> {
    const response = await read(chatId, messageId)
    expect([response.statusCode, response.body]).toEqual([200, response.body])
    return SentPrompt.parse(response.json())
  }

  /** Roles and texts, as the scripted model received them. */
  const received = (index = -1) =>
    product.model.requests
      .at(index)
      ?.body.messages?.map(({ role, content }) => ({ role, content: content ?? '' }))

  it('is what the provider received: instructions, options, messages and tools', async () => {
    const chatId = await ada.newChat()
    product.model.reply(['Yes.'])
    const stream = await ada.send(chatId, 'Do you hear me?', { botName: 'Instructed' })
    await stream.ended
    const prompt = await readPrompt(chatId, stream.run.messages.at(-1)?.id)
    expect(prompt).toMatchObject({
      model: 'm',
      max_tokens: 500,
      temperature: 0.5,
      instructions: 'Help Ada.',
      messages: [{ role: 'user', content: 'Do you hear me?' }],
      missing: [],
    })
    const sent = product.model.requests.at(-1)?.body['tools'] as { function: { name: string } }[]
    expect(prompt.tools.map(({ name }) => name)).toEqual(sent.map((tool) => tool.function.name))
    expect(received()).toEqual([{ role: 'system', content: prompt.instructions }, ...prompt.messages])
  })

  it('shows the request of each reply of a turn, with the calls and results before it', async () => {
    const chatId = await ada.newChat()
    product.model.reply(['Wait.', callOf('polite', 'act')])
    product.model.reply(['Done.'])
    const stream = await ada.send(chatId, 'Act')
    await stream.ended
    const [question, first, , last] = stream.run.messages
    expect((await readPrompt(chatId, first?.id)).messages).toEqual([{ role: 'user', content: 'Act' }])
    const prompt = await readPrompt(chatId, last?.id)
    expect(prompt.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(prompt.messages[1]?.tool_calls).toEqual([
      { name: expect.stringContaining('act') as string, arguments: '{}' },
    ])
    expect(received()).toEqual(prompt.messages.map(({ role, content }) => ({ role, content })))
    expect((await read(chatId, question?.id)).statusCode).toBe(404)
  })

  it('contains the summary as it was then, also after it was changed', async () => {
    const chatId = await ada.newChat()
    const { db } = product.database
    await db.transaction().execute(async (trx) => {
      await addPath(trx, { id: chatId, updated_at: 1 }, [
        { id: 'q1', content: 'Once' },
        { id: 'a1', role: 'assistant', content: 'upon' },
      ])
      await addCompaction(trx, {
        id: `summary-${engine}`,
        chat_id: chatId,
        message_id: 'a1',
        content: 'A tale.',
      })
    })
    product.model.reply(['So.'])
    const stream = await ada.send(chatId, 'And then?')
    await stream.ended
    await ada.put(`/api/chats/${chatId}/compactions/summary-${engine}`, { content: 'Another tale.' })
    const prompt = await readPrompt(chatId, stream.run.messages.at(-1)?.id)
    expect(prompt.messages).toMatchObject([
      { role: 'user', content: expect.stringContaining('replaced by a summary') as string },
      { role: 'assistant', content: expect.stringContaining('\nA tale.\n') as string },
      { role: 'user', content: 'And then?' },
    ])
    expect(received()).toEqual(prompt.messages)
  })

  it('is kept for a reply that failed, and is replaced by the last attempt', async () => {
    const chatId = await ada.newChat()
    product.model.reply([{ status: 400, body: { error: { message: 'This model does not support tools' } } }])
    product.model.reply([{ status: 401, body: {} }])
    const stream = await ada.send(chatId, 'Fail')
    await stream.ended
    expect(stream.run.status).toBe('failed')
    const prompt = await readPrompt(chatId, stream.run.messages.at(-1)?.id)
    expect(prompt).toMatchObject({ messages: [{ role: 'user', content: 'Fail' }], tools: [] })
  })

  it(`keeps the ${maxPromptTexts} long texts that a user used last, and names what is missing`, async () => {
    const grace = await product.join('Grace')
    await grace.post('/api/bot', { name: 'Old', model: 'm', instructions: 'Old words.' })
    const chatId = await grace.newChat()
    product.model.reply(['Yes.'])
    const stream = await grace.send(chatId, 'Hello', { botName: 'Old' })
    await stream.ended
    const { db } = product.database
    const { user_id } = await db
      .selectFrom('chats')
      .select('user_id')
      .where('id', '=', chatId)
      .executeTakeFirstOrThrow()
    const used_at = Date.now() + 60_000
    const newer = Array.from({ length: maxPromptTexts }, (_, index) => `${index}`)
    await db
      .insertInto('prompt_texts')
      .values(newer.map((hash) => ({ user_id, hash, content: hash, used_at: used_at + Number(hash) })))
      .execute()
    await grace.put('/api/bot/Old', { name: 'Old', model: 'm', instructions: 'New words.', connectors: [] })
    product.model.reply(['Again.'])
    await (
      await grace.send(await grace.newChat(), 'Hello', { botName: 'Old' })
    ).ended
    const response = await grace.get(`/api/chats/${chatId}/messages/${stream.run.messages.at(-1)?.id}/prompt`)
    expect(SentPrompt.parse(response.json())).toMatchObject({
      instructions: null,
      messages: [{ role: 'user', content: 'Hello' }],
      missing: ['instructions', 'tools'],
    })
    const { count } = await db
      .selectFrom('prompt_texts')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('user_id', '=', user_id)
      .executeTakeFirstOrThrow()
    expect(Number(count)).toBe(maxPromptTexts)
  })
})
