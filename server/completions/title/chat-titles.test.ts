import { apiTypes } from '@yonder/contract/bot'
import type { MessageUsage } from '@yonder/contract/usage/usage-report'
import type { FastifyBaseLogger } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi, type MockInstance } from 'vitest'
import { botName, createChatClient, openChatApp, type ChatApp } from '../../testing/chat/open-chat-app.ts'
import { openLiveStream } from '../../testing/chat/open-live-stream.ts'
import { engines, isConcurrent } from '../../testing/database/test-database.ts'
import { openModelScene, type ModelScene } from '../../testing/models/open-model-scene.ts'
import type { Step } from '../../testing/models/scripted-model.ts'
import { findWireShape, wireShapes } from '../../testing/models/wire-shapes.ts'
import { maxTitleMs } from './chat-titles.ts'

const key = 'sk-title-0123456789abcdef'
const question = 'Wie schärfe ich ein Küchenmesser zu Hause?'
const defaultTitle = { title: 'Wie schärfe ich ein Küchenmess…', title_source: null }
const prices = JSON.stringify([{ model: 'namer', input: 2, output: 4 }])

const eventually = <Value>(read: () => Value) => expect.poll(read)

describe.each(engines)('the title model of a bot, on %s', (engine) => {
  let product: ChatApp
  /** Receives why a chat keeps its default title, from the log. */
  let kept: MockInstance<FastifyBaseLogger['debug']>
  let users = 0
  beforeAll(async () => {
    product = await openChatApp({ engine, environment: { MODEL_PRICES: prices } })
    kept = vi.spyOn(product.app.log, 'debug')
  })
  afterEach(() => kept.mockClear())
  afterAll(() => product.close())

  /** A user whose bot has a title model. */
  async function join(titleModel: string | null = 'namer') {
    const ada = await product.join(`User ${(users += 1)}`)
    const bot = { name: botName, model: 'scripted', api_key: key, title_model: titleModel }
    await ada.put(`/api/bot/${botName}`, bot)
    return ada
  }

  function script(reply: readonly Step[], title: readonly Step[]) {
    product.model.when(question, reply)
    // Its request contains the question too.
    product.model.when('Write the title', title)
  }

  const readTitle = (chatId: string) =>
    product.database.db
      .selectFrom('chats')
      .select(['title', 'title_source'])
      .where('id', '=', chatId)
      .executeTakeFirstOrThrow()
  const titleRequests = () => product.model.requests.filter(({ body }) => body.model === 'namer')
  const reasons = (log = kept) =>
    log.mock.calls.map(([details]) => Object(details) as { reason?: string }).map(({ reason }) => reason)

  it('writes it once, at the first text, in the language of the question, and counts what it used', async () => {
    const ada = await join()
    const gate = product.model.gate()
    script(
      [{ reasoning: 'Hm.' }, 'Zuerst den Stein', gate, ' wässern.'],
      [
        '<think>Short.</think>',
        '"Messer schärfen."',
        { usage: { prompt_tokens: 1_000, completion_tokens: 10 } },
      ],
    )
    const live = await openLiveStream(product.base, ada.headers)
    const chatId = await ada.newChat()
    const before = titleRequests().length
    const stream = await ada.send(chatId, question)
    // The reply is still being written.
    const listed = () => live.listed().flatMap(({ chats }) => chats.map(({ title }) => title))
    await live.until(() => listed().includes('Messer schärfen'))
    live.leave()
    expect(stream.run.status).toBe('running')
    expect(await readTitle(chatId)).toEqual({ title: 'Messer schärfen', title_source: 'model' })
    const chats = product.database.db.selectFrom('chats').where('id', '=', chatId)
    expect(await chats.select('title_key').executeTakeFirst()).toEqual({ title_key: 'messer schärfen' })
    const [request] = titleRequests().slice(before)
    expect(request?.headers['authorization']).toBe(`Bearer ${key}`)
    expect(request?.body).toMatchObject({ model: 'namer', max_tokens: 2_000 })
    for (const field of ['tools', 'temperature', 'top_p', 'reasoning_effort'])
      expect(request?.body).not.toHaveProperty(field)
    const task = String(request?.body.messages?.at(-1)?.content)
    expect(task).toMatch(/\[[\w-]{8}\] User\nWie schärfe.*\n\n\[[\w-]{8}\] Assistant\nZuerst den Stein\n/)
    expect(task).toMatch(/in the language of the user's message\.$/)
    expect(request?.body.messages?.[0]?.content).toMatch(
      /<title>The title<\/title>.* in the language of the user's message/,
    )

    gate.open()
    await stream.ended
    const [asked, replied] = stream.run.messages
    await (
      await ada.complete({ chatId, userMessageId: asked?.id })
    ).ended
    await (
      await ada.send(chatId, question)
    ).ended
    await (
      await ada.send(chatId, question, { parentId: null })
    ).ended
    expect(titleRequests()).toHaveLength(before + 1)
    expect(await readTitle(chatId)).toMatchObject({ title: 'Messer schärfen' })
    const used = await ada.get(`/api/chats/${chatId}/usage?messageIds=${replied?.id}`)
    expect(used.json<MessageUsage>().calls).toContainEqual(
      expect.objectContaining({
        kind: 'title',
        bot: botName,
        model: 'namer',
        input_tokens: 1_000,
        cost: { currency: 'USD', amount: '0.00204' },
      }),
    )
  })

  it.each<[string, readonly Step[], RegExp]>([
    [
      'a refused key',
      [{ status: 401, body: { error: { message: `No key ${key}` } } }],
      /refused the API key/,
    ],
    ['no text', [{ reasoning: 'Hm.' }], /no title \(stop\)/],
    ['a refusal', ['I cannot help with that.'], /no title \(stop\)/],
    ['a filtered text', ['Messer', { finish: 'content_filter' }], /no title \(content_filter\)/],
    ['a text that is cut by its limit', ['Messer', { finish: 'length' }], /no title \(length\)/],
    ['a text that breaks off', ['Messer', { cut: true }], /./],
  ])('leaves the default title, without a word to the user, for %s', async (_failure, title, reason) => {
    const ada = await join()
    script(['Zuerst den Stein wässern.'], title)
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, question)
    await stream.ended
    await eventually(() => reasons()).toEqual([expect.stringMatching(reason)])
    expect(JSON.stringify(kept.mock.calls)).not.toContain(key)
    expect(await readTitle(chatId)).toEqual(defaultTitle)
    expect(stream.run).toMatchObject({ status: 'complete' })
    expect(JSON.stringify(stream.run)).not.toContain('title')
  })

  it('is not called for a bot without one, for a later reply, or when the user took the title back', async () => {
    const ada = await join(null)
    script(['Zuerst den Stein wässern.'], ['Messer'])
    const before = titleRequests().length
    const chatId = await ada.newChat()
    await (
      await ada.send(chatId, question)
    ).ended
    await ada.put(`/api/bot/${botName}`, { name: botName, model: 'scripted', title_model: 'namer' })
    await (
      await ada.send(chatId, question)
    ).ended
    expect(titleRequests()).toHaveLength(before)
    expect(await readTitle(chatId)).toEqual(defaultTitle)
  })

  it('writes it at the first reply that has a text', async () => {
    const ada = await join()
    script([{ status: 400 }], ['Messer'])
    const chatId = await ada.newChat()
    const failed = await ada.send(chatId, question)
    await failed.ended
    const before = titleRequests().length
    script(['Zuerst den Stein wässern.'], ['Messer'])
    await (
      await ada.complete({ chatId, userMessageId: failed.run.messages[0]?.id })
    ).ended
    await eventually(() => readTitle(chatId)).toEqual({ title: 'Messer', title_source: 'model' })
    expect(titleRequests()).toHaveLength(before + 1)
  })

  it('never replaces the title of the user, and does not end when the reply is stopped', async () => {
    const ada = await join()
    const [reply, late] = [product.model.gate(), product.model.gate()]
    script(['Zuerst', reply], [late, 'Messer'])
    const [own, stopped] = [await ada.newChat(), await ada.newChat()]
    for (const chatId of [own, stopped]) {
      const before = titleRequests().length
      await ada.send(chatId, question)
      await eventually(() => titleRequests().length).toBe(before + 1)
      await ada.post('/api/chat/stop', { chatId })
    }
    const users = { title: 'Mine', title_key: 'mine', title_source: 'user' } as const
    await product.database.db.updateTable('chats').set(users).where('id', '=', own).execute()
    late.open()
    await eventually(() => readTitle(stopped)).toEqual({ title: 'Messer', title_source: 'model' })
    await eventually(() => reasons()).toEqual(['The title is no longer wanted.'])
    expect(await readTitle(own)).toEqual({ title: 'Mine', title_source: 'user' })
    reply.open()
  })

  it('ends when the model takes longer than 30 seconds', async () => {
    const ada = await join()
    const gate = product.model.gate()
    script(['Zuerst den Stein wässern.'], [gate, 'Messer'])
    const chatId = await ada.newChat()
    const before = titleRequests().length
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    try {
      const stream = await ada.send(chatId, question)
      await stream.ended
      await eventually(() => titleRequests().length).toBe(before + 1)
      await vi.advanceTimersByTimeAsync(maxTitleMs / 2)
      expect(reasons()).toEqual([])
      await vi.advanceTimersByTimeAsync(maxTitleMs / 2)
      await eventually(() => reasons()).toEqual(['The model took too long.'])
    } finally {
      vi.useRealTimers()
    }
    expect(await titleRequests().at(-1)?.done).toBe(false)
    expect(await readTitle(chatId)).toEqual(defaultTitle)
    gate.open()
  })

  it.each(['the chat is deleted', 'the user is disabled'])('ends when %s', async (event) => {
    const ada = await join()
    const gate = product.model.gate()
    script(['Zuerst', gate], [gate, 'Messer'])
    const chatId = await ada.newChat()
    const before = titleRequests().length
    await ada.send(chatId, question)
    await eventually(() => titleRequests().length).toBe(before + 1)
    const { db } = product.database
    if (event === 'the chat is deleted')
      await db.updateTable('chats').set({ deleted_at: 1 }).where('id', '=', chatId).execute()
    else await db.updateTable('users').set({ disabled_at: 1 }).where('id', '=', ada.user.id).execute()
    expect(await titleRequests().at(-1)?.done).toBe(false)
    await eventually(() => reasons()).toEqual(['The title is no longer wanted.'])
    expect(await readTitle(chatId)).toEqual(defaultTitle)
    gate.open()
  })

  it('ends with the process', async () => {
    const other = await openChatApp({ engine })
    const ada = await other.join()
    await ada.put(`/api/bot/${botName}`, { name: botName, model: 'scripted', title_model: 'namer' })
    const gate = other.model.gate()
    other.model.when(question, ['Zuerst', { finish: 'stop' }])
    other.model.when('Write the title', [gate, 'Messer'])
    await ada.send(await ada.newChat(), question)
    await eventually(() => other.model.requests.length).toBe(2)
    const done = other.model.requests.find(({ body }) => body.model === 'namer')?.done
    const log = vi.spyOn(other.app.log, 'debug')
    await other.app.close()
    expect(reasons(log)).toEqual(['The title is no longer wanted.'])
    expect(await done).toBe(false)
    await other.close()
  })

  it.runIf(isConcurrent(engine))('is asked once by two servers on one database', async () => {
    const ada = await join()
    script(['Zuerst den Stein wässern.'], ['I cannot help with that.'])
    const { database, model, deps } = product
    const there = await openChatApp({ database, model, deps: { identity: deps.identity } })
    const log = vi.spyOn(there.app.log, 'debug')
    const chatId = await ada.newChat()
    const before = titleRequests().length
    const first = await ada.send(chatId, question)
    await eventually(() => reasons()).toHaveLength(1)
    const again = { chatId, userMessageId: first.run.messages[0]?.id }
    const second = await createChatClient(there.base, ada).complete(again)
    await second.ended
    expect(second.run.status).toBe('complete')
    await there.close()
    expect(reasons(log)).toEqual([])
    expect(titleRequests()).toHaveLength(before + 1)
  })
})

describe('the title model of a bot with the API type', () => {
  let product: ChatApp
  let scene: ModelScene
  beforeAll(async () => {
    ;[product, scene] = await Promise.all([openChatApp(), openModelScene()])
  })
  afterAll(async () => {
    await Promise.all([product.close(), scene.close()])
    scene.closeServers()
  })

  it.each(apiTypes)('%s is called at the address and with the key of the bot', async (apiType) => {
    const shape = wireShapes[apiType]
    const { url, seen } = await scene.serve(() => [
      shape.start('wire-model'),
      shape.reasoning('Let me see.'),
      shape.text('<title>**Messer schärfen**</title>'),
      shape.finish('stop', { input: 5, output: 7, reasoning: 2 }),
    ])
    const ada = await product.join(apiType)
    const bot = { model: 'talker', title_model: 'namer', base_url: url, api_key: key, api_type: apiType }
    await ada.post('/api/bot', { name: 'Wire', ...bot })
    const chatId = await ada.newChat()
    await (
      await ada.send(chatId, question, { botName: 'Wire' })
    ).ended
    const readTitle = () =>
      product.database.db.selectFrom('chats').select('title').where('id', '=', chatId).executeTakeFirst()
    await eventually(readTitle).toEqual({ title: 'Messer schärfen' })
    const [reply, title, ...more] = seen.filter((one) => findWireShape(one.url) === shape)
    expect(more).toEqual([])
    expect(JSON.stringify([reply?.url, reply?.body])).toContain('talker')
    const sent = JSON.stringify([title?.url, title?.body])
    for (const text of ['namer', '2000', question, 'You write titles']) expect(sent).toContain(text)
    expect(sent).not.toMatch(/temperature|tools/)
    expect(JSON.stringify(title?.headers)).toContain(key)
  })
})
