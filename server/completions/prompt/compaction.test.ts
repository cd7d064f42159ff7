import type { MessageUsage } from '@yonder/contract/usage/usage-report'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChatApp, type ChatApp, type ChatClient } from '../../testing/chat/open-chat-app.ts'
import { engines } from '../../testing/database/test-database.ts'
import { addPath } from '../../testing/factories/chats.ts'
import { startSmallWindowModel, type SmallWindowModel } from '../../testing/models/small-window-model.ts'

const windowTokens = 8_000
const listed = { model: 'listed', context_window: windowTokens, input: 1, output: 1 }
/** A message of the user and what a reply to it adds to the path. */
const filler = (turn: number) => `${turn}: ${'Tell me about the weather in the mountains. '.repeat(12)}`

describe.each(engines)('a chat that no longer fits into the context window, on %s', (engine) => {
  let product: ChatApp
  let model: SmallWindowModel
  let ada: ChatClient

  beforeAll(async () => {
    model = await startSmallWindowModel(windowTokens)
    product = await openChatApp({ engine, environment: { MODEL_PRICES: JSON.stringify([listed]) } })
    ada = await product.join('Ada')
    await ada.post('/api/bot', {
      name: 'Small',
      model: 'small',
      base_url: model.baseUrl,
      context_window: windowTokens,
    })
    await ada.post('/api/bot', { name: 'Listed', model: 'listed', base_url: model.baseUrl })
    await ada.post('/api/bot', { name: 'Unknown', model: 'small', base_url: model.baseUrl })
  })
  afterAll(async () => {
    await product.close()
    await model.close()
  })

  async function say(chatId: string, content: string, botName = 'Small') {
    const stream = await ada.send(chatId, content, { botName })
    await stream.ended
    return stream
  }

  /** A chat whose path holds the first fact and many turns, written without a model. */
  async function openLongChat(turns: number): Promise<string> {
    const chatId = await ada.newChat()
    const messages = Array.from({ length: turns }, (_, turn) => [
      { id: `q${turn}`, content: turn === 0 ? 'FACT apple=green' : filler(turn) },
      { id: `a${turn}`, role: 'assistant', content: 'I will remember it.', model: 'small', bot: 'Small' },
    ]).flat()
    const { db } = product.database
    await db.transaction().execute((trx) => addPath(trx, { id: chatId, updated_at: 1 }, messages))
    return chatId
  }

  // Every turn takes several commits, which take longer on PostgreSQL.
  const turns = engine === 'sqlite' ? 500 : 100
  it(`keeps the facts of its first turn over ${turns} turns without one refused prompt`, async () => {
    const chatId = await ada.newChat()
    await say(chatId, 'FACT apple=green')
    for (let turn = 2; turn < turns; turn++)
      await say(chatId, turn === turns / 2 ? 'FACT pear=yellow' : filler(turn))
    const before = await ada.readChat(chatId)
    const stream = await say(chatId, 'What is apple?')
    expect(stream.text).toBe('It is green.')
    expect((await say(chatId, 'What is pear?')).text).toBe('It is yellow.')
    expect(model.refused).toBe(0)
    const chat = await ada.readChat(chatId)
    // The stored messages are unchanged.
    expect(chat.messages.slice(0, before.messages.length)).toEqual(before.messages)
    expect(chat.messages.every(({ status }) => status === 'complete')).toBe(true)
    expect(chat.messages.filter(({ notice }) => notice !== undefined)).toEqual([])
    expect(chat.compactions?.length).toBeGreaterThan(1)
    expect(chat.compactions?.at(-1)).toMatchObject({ bot: 'Small', model: 'small', edited: false })
  }, 120_000)

  it('says in the stream that older messages are summarised, and with what', async () => {
    const chatId = await openLongChat(60)
    const stream = await say(chatId, 'What is apple?')
    expect(stream.text).toBe('It is green.')
    const started = stream.events.find(({ type }) => type === 'compacting')
    const stored = stream.events.find(({ type }) => type === 'compaction')
    const chat = await ada.readChat(chatId)
    const [compaction] = chat.compactions ?? []
    expect(started).toMatchObject({ message_count: compaction?.message_count })
    expect(stored).toMatchObject({ compaction })
    expect(compaction?.content).toBe('FACT apple=green')
    // It ends before a message of the user, and replaces everything up to there.
    const end = chat.messages.findIndex(({ id }) => id === compaction?.message_id)
    expect(chat.messages[end + 1]?.role).toBe('user')
    expect(compaction?.message_count).toBe(end + 1)
  })

  it('counts the calls that summarised for a reply with those of the reply', async () => {
    const chatId = await openLongChat(60)
    const { run } = await say(chatId, 'What is apple?')
    const replyId = run.messages.at(-1)?.id ?? ''
    const used = await ada.get(`/api/chats/${chatId}/usage?messageIds=${replyId}`)
    const kinds = used.json<MessageUsage>().calls.map(({ kind }) => kind)
    expect(kinds).toContain('summary')
    expect(kinds.filter((kind) => kind === 'reply')).toHaveLength(1)
  })

  it('counts each call that summarises as soon as it has ended', async () => {
    const chatId = await openLongChat(90)
    model.holdNext(1)
    const stream = await ada.send(chatId, 'What is apple?', { botName: 'Small' })
    await model.held()
    const stored = () =>
      product.database.db.selectFrom('usage_records').select('kind').where('chat_id', '=', chatId).execute()
    await expect.poll(stored).toEqual([{ kind: 'summary' }])
    expect((await ada.readChat(chatId)).messages.at(-1)?.compacting).toBeGreaterThan(10)
    await ada.post('/api/chat/stop', { chatId })
    await stream.ended
  })

  it('is summarised in the window that the catalogue knows', async () => {
    const chatId = await openLongChat(90)
    const refusedBefore = model.refused
    expect((await say(chatId, 'What is apple?', 'Listed')).text).toBe('It is green.')
    expect(model.refused).toBe(refusedBefore)
    expect((await ada.readChat(chatId)).compactions).toHaveLength(1)
  })

  it('is summarised when the provider refuses a prompt of a model whose window is unknown', async () => {
    const chatId = await openLongChat(90)
    const refusedBefore = model.refused
    expect((await say(chatId, 'What is apple?', 'Unknown')).text).toBe('It is green.')
    expect(model.refused).toBe(refusedBefore + 1)
    expect((await say(chatId, 'What is apple?', 'Unknown')).text).toBe('It is green.')
    expect(model.refused).toBe(refusedBefore + 1)
  })

  it.each([
    ['is empty', ' ', 'The model returned an empty summary.'],
    [
      'is longer than what it replaces',
      'x'.repeat(60_000),
      'The model returned a summary that is longer than the messages.',
    ],
  ])('stays as it was, and says so, when the summary %s', async (_, text, reason) => {
    const chatId = await openLongChat(60)
    model.summarizeWith(text)
    const stream = await say(chatId, 'What is apple?')
    model.summarizeWith(undefined)
    const chat = await ada.readChat(chatId)
    expect(chat.compactions).toBeUndefined()
    expect(stream.run.messages.at(-1)?.notice).toBe(`The older messages could not be summarised: ${reason}`)
    expect(chat.messages).toHaveLength(122)
  })

  it('stores no summary when the reply is stopped meanwhile', async () => {
    const chatId = await openLongChat(60)
    model.holdNext()
    const stream = await ada.send(chatId, 'What is apple?', { botName: 'Small' })
    await model.held()
    const compacting = (await ada.readChat(chatId)).messages.at(-1)?.compacting
    expect(compacting).toBeGreaterThan(10)
    await ada.post('/api/chat/stop', { chatId })
    await stream.ended
    const chat = await ada.readChat(chatId)
    expect(chat.compactions).toBeUndefined()
    expect(chat.messages.at(-1)).toMatchObject({ status: 'stopped', content: '' })
    expect(chat.messages.at(-1)?.notice).toBeUndefined()
    expect(stream.run.messages.at(-1)?.compacting).toBeUndefined()
  })

  it('is not summarised for its number of messages alone when the window is unknown, and says what is left out', async () => {
    const chatId = await openLongChat(0)
    const { db } = product.database
    const short = Array.from({ length: 501 }, (_, turn) => [
      { id: `q${turn}`, content: 'Go on' },
      { id: `a${turn}`, role: 'assistant', content: 'On.' },
    ]).flat()
    await db.transaction().execute((trx) => addPath(trx, { id: chatId, updated_at: 1 }, short))
    const before = model.summaries
    // The window of 'Unknown' is known once a prompt was refused.
    await ada.post('/api/bot', { name: 'Never refused', model: 'small', base_url: model.baseUrl })
    const stream = await say(chatId, 'What is apple?', 'Never refused')
    expect(stream.run.messages.at(-1)?.notice).toBe('The model was called without the oldest 3 messages.')
    expect(model.summaries).toBe(before)
  })

  it('is summarised on its path only: other branches are sent without the summary', async () => {
    const chatId = await openLongChat(60)
    await say(chatId, 'What is apple?')
    const edited = await ada.send(chatId, 'What is pear?', { botName: 'Small', parentId: 'a1' })
    await edited.ended
    expect(edited.text).toBe('It is unknown to me.')
    expect(edited.events.some(({ type }) => type === 'compaction')).toBe(false)
  })
})
