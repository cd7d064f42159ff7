import type { Message } from '@yonder/contract/message'
import type { Queue } from '@yonder/contract/queue'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import { callOf, waitingCall } from '../../testing/chat/open-tool-app.ts'
import { calculate, openToolScene, type ToolScene } from '../../testing/chat/open-tool-scene.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines } from '../../testing/database/test-database.ts'
import { uploadFile } from '../../testing/files/upload-file.ts'
import { statusAndBody } from '../../testing/send-request.ts'
import { takeSteering } from './steer-reply.ts'

describe.each(engines)('the queue of a chat, on %s', (engine) => {
  let product: ToolScene
  let ada: ChatClient
  beforeAll(async () => {
    product = await openToolScene({ engine })
    ada = product.ada
    await product.connect(ada, 'polite')
  })
  afterAll(() => product.close())

  const queue = (chatId: string, id: string, more: object = {}) =>
    ada.post('/api/chat/queue', { chatId, id, botName: 'Helper', content: `Text of ${id}`, ...more })
  const read = async (chatId: string) => (await ada.get(`/api/chat/queue?chatId=${chatId}`)).json<Queue>()
  const idsOf = async (chatId: string) => (await read(chatId)).messages.map(({ id }) => id)
  const change = (chatId: string, id: string, body: object) =>
    ada.patch(`/api/chat/queue/${id}`, { chatId, ...body })
  const remove = (chatId: string, id: string) => ada.delete(`/api/chat/queue/${id}?chatId=${chatId}`)
  const textsOf = async (chatId: string) =>
    (await ada.readChat(chatId)).messages.map(({ content }) => content)
  const goOnAfter = (chatId: string, { messages, paused }: Queue) =>
    ada.post('/api/chat/queue/continue', { chatId, id: messages[0]?.id, paused })
  const goOn = async (chatId: string) => goOnAfter(chatId, await read(chatId))

  /** A chat whose reply is being written until its gate is opened, or has begun with these steps. */
  const begin = async (steps: Parameters<ToolScene['model']['reply']>[0] = ['Well']) => {
    const gate = product.model.gate()
    product.model.reply([...steps, gate])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'First')
    await stream.until(({ text }) => text !== '' || steps.length === 0)
    return { chatId, stream, gate }
  }
  /** Waits until no reply is written and nothing waits that could be sent. */
  const settle = async (chatId: string): Promise<readonly Message[]> => {
    await expect
      .poll(async () => {
        const { messages, paused } = await read(chatId)
        return (messages.length === 0 || paused !== null) && (await ada.readChat(chatId)).run === null
      })
      .toBe(true)
    return (await ada.readChat(chatId)).messages
  }

  it('sends each message when the reply before it has ended, in their order', async () => {
    const { chatId, gate } = await begin()
    for (const id of ['a1', 'b1', 'c1']) expect((await queue(chatId, id)).statusCode).toBe(200)
    expect(await read(chatId)).toEqual({
      messages: ['a1', 'b1', 'c1'].map((id) => ({
        id,
        content: `Text of ${id}`,
        bot: 'Helper',
        steers: false,
        created_at: expect.any(String),
      })),
      paused: null,
    })
    gate.open()
    const messages = await settle(chatId)
    expect(
      messages
        .filter(({ role }) => role === 'user')
        .map(({ id }) => id)
        .slice(1),
    ).toEqual(['a1', 'b1', 'c1'])
    expect(messages.map(({ parent_id }) => parent_id)).toEqual([
      null,
      ...messages.slice(0, -1).map(({ id }) => id),
    ])
    expect(messages.every(({ status }) => status === 'complete')).toBe(true)
  })

  it('sends a message at once when no reply is written and nothing waits, also as the first of a chat', async () => {
    const chatId = await ada.newChat()
    expect((await queue(chatId, 'm1')).json()).toEqual({ messages: [], paused: null })
    const [first, reply] = await settle(chatId)
    expect([first?.id, first?.parent_id, reply?.status]).toEqual(['m1', null, 'complete'])
    await queue(chatId, 'm2')
    expect((await settle(chatId)).map(({ id }) => id)[2]).toBe('m2')
  })

  it('takes a repeated message once, and none with another content', async () => {
    const { chatId, gate } = await begin()
    await queue(chatId, 'm1')
    expect((await queue(chatId, 'm1')).statusCode).toBe(200)
    expect(await idsOf(chatId)).toEqual(['m1'])
    expect((await queue(chatId, 'm1', { content: 'Other' })).statusCode).toBe(409)
    gate.open()
    await settle(chatId)
    // It was sent meanwhile.
    expect((await queue(chatId, 'm1')).json()).toEqual({ messages: [], paused: null })
    expect((await queue(chatId, 'm1', { content: 'Other' })).statusCode).toBe(409)
    expect(await textsOf(chatId)).toHaveLength(4)
  })

  it('lets a paused queue wait when a message is added on another branch', async () => {
    const chatId = await ada.newChat()
    product.model.reply(['Hello.'])
    const hidden = await ada.send(chatId, 'Hi')
    await hidden.ended
    const gate = product.model.gate()
    product.model.reply(['Well', gate])
    const shown = await ada.send(chatId, 'First', { parentId: null })
    await shown.until(({ text }) => text !== '')
    await queue(chatId, 'a1')
    await ada.post('/api/chat/stop', { chatId })
    await shown.ended
    gate.open()
    expect((await read(chatId)).paused).toBe('stopped')
    const added = await queue(chatId, 'b1', { parentId: hidden.run.messages.at(-1)?.id })
    expect(added.statusCode).toBe(200)
    const { messages, paused } = await read(chatId)
    expect([messages.map(({ id }) => id), paused]).toEqual([['a1'], 'stopped'])
  })

  it('has an end on all branches together', async () => {
    const { chatId, gate } = await begin()
    await queue(chatId, 'a1')
    const { db } = product.database
    const row = await db
      .selectFrom('queued_messages')
      .selectAll()
      .where('chat_id', '=', chatId)
      .executeTakeFirstOrThrow()
    const others = Array.from({ length: 99 }, (_, index) => ({
      ...row,
      id: `other-${index}`,
      branch_id: `branch-${index % 10}`,
    }))
    await db.insertInto('queued_messages').values(others).execute()
    const before = await hashTables(product.database)
    expect(statusAndBody(await queue(chatId, 'b1'))).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('At most 100 messages') as string } },
    })
    expect(await hashTables(product.database)).toEqual(before)
    gate.open()
    await settle(chatId)
  })

  it('keeps the refusal of ordinary messages while a reply is written', async () => {
    const { chatId, gate, stream } = await begin()
    const second = await ada.send(chatId, 'Second')
    await second.ended
    expect([second.status, second.raw]).toEqual([409, expect.stringContaining('run_active')])
    gate.open()
    await stream.ended
  })

  it('edits, orders and takes out what waits', async () => {
    const { chatId, gate } = await begin()
    for (const id of ['a1', 'b1', 'c1', 'd1']) await queue(chatId, id)
    await change(chatId, 'c1', { before: 'a1' })
    expect(await idsOf(chatId)).toEqual(['c1', 'a1', 'b1', 'd1'])
    await change(chatId, 'c1', { before: null })
    expect(await idsOf(chatId)).toEqual(['a1', 'b1', 'd1', 'c1'])
    await change(chatId, 'b1', { content: 'Edited' })
    await remove(chatId, 'a1')
    expect((await remove(chatId, 'a1')).statusCode).toBe(404)
    gate.open()
    await settle(chatId)
    const texts = await textsOf(chatId)
    expect(texts.filter((_, index) => index % 2 === 0)).toEqual([
      'First',
      'Edited',
      'Text of d1',
      'Text of c1',
    ])
  })

  it('is one order for two tabs that change it at once', async () => {
    const { chatId, gate } = await begin()
    const ids = ['a1', 'b1', 'c1', 'd1']
    for (const id of ids) await queue(chatId, id)
    const responses = await Promise.all([
      change(chatId, 'd1', { before: 'a1' }),
      change(chatId, 'a1', { before: null }),
      change(chatId, 'b1', { before: 'a1' }),
      change(chatId, 'c1', { content: 'Edited' }),
    ])
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    const order = await idsOf(chatId)
    expect(order.toSorted()).toEqual(ids)
    gate.open()
    const sent = (await settle(chatId)).filter(({ role }) => role === 'user').slice(1)
    expect(sent.map(({ id }) => id)).toEqual(order)
  })

  it('changes nothing of a message that was sent', async () => {
    const { chatId, gate } = await begin()
    await queue(chatId, 'm1')
    gate.open()
    await settle(chatId)
    const before = await hashTables(product.database)
    for (const response of [
      await change(chatId, 'm1', { content: 'Other' }),
      await change(chatId, 'm1', { steers: true }),
      await remove(chatId, 'm1'),
    ])
      expect(statusAndBody(response)).toMatchObject({
        status: 409,
        body: { error: { code: 'conflict', message: expect.stringContaining('was sent already') } },
      })
    expect((await change(chatId, 'nowhere', { steers: true })).statusCode).toBe(404)
    expect(await hashTables(product.database)).toEqual(before)
    // Send now of a message that was sent is what the user wants already.
    expect((await ada.post('/api/chat/queue/m1/send', { chatId })).statusCode).toBe(200)
  })

  it('refuses the eleventh message, 16,001 characters and an empty text, and writes nothing', async () => {
    const { chatId, gate } = await begin()
    for (let number = 1; number <= 10; number++) await queue(chatId, `m${number}`)
    const before = await hashTables(product.database)
    const refused = [
      [await queue(chatId, 'm11'), 400, 'At most 10 messages'],
      [await queue(chatId, 'm12', { content: 'x'.repeat(16_001) }), 413, '16,001'],
      [await change(chatId, 'm3', { content: 'x'.repeat(16_001) }), 413, '16,000'],
      [await change(chatId, 'm3', { content: ' \n' }), 400, 'empty'],
      [await change(chatId, 'm3', { before: 'gone' }), 409, 'does not wait'],
      [await queue(chatId, 'm13', { botName: 'Nobody' }), 404, 'bot'],
      [await queue(chatId, 'm14', { parentId: 'nowhere' }), 404, 'message'],
      [await queue('no-chat', 'm15'), 404, 'chat'],
    ] as const
    for (const [response, status, words] of refused) {
      expect(response.statusCode).toBe(status)
      expect(response.body).toContain(words)
    }
    expect(await hashTables(product.database)).toEqual(before)
    for (let number = 1; number <= 10; number++) await remove(chatId, `m${number}`)
    expect((await queue(chatId, 'm16', { content: 'x'.repeat(16_000) })).statusCode).toBe(200)
    gate.open()
    await settle(chatId)
  })

  it('is nobody else’s', async () => {
    const { chatId, gate, stream } = await begin()
    await queue(chatId, 'm1')
    const eve = await product.join('Eve')
    const before = await hashTables(product.database)
    const responses = [
      await eve.get(`/api/chat/queue?chatId=${chatId}`),
      await eve.post('/api/chat/queue', { chatId, id: 'm2', botName: 'Helper', content: 'Hi' }),
      await eve.patch('/api/chat/queue/m1', { chatId, steers: true }),
      await eve.delete(`/api/chat/queue/m1?chatId=${chatId}`),
      await eve.post('/api/chat/queue/m1/send', { chatId }),
      await eve.post('/api/chat/queue/continue', { chatId, id: 'm1', paused: 'stopped' }),
    ]
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404, 404, 404])
    expect(await hashTables(product.database)).toEqual(before)
    await remove(chatId, 'm1')
    gate.open()
    await stream.ended
  })

  it('pauses when the reply was stopped, and goes on when the user says so', async () => {
    const { chatId } = await begin()
    await queue(chatId, 'a1')
    await queue(chatId, 'b1')
    await ada.post('/api/chat/stop', { chatId })
    expect(await read(chatId)).toMatchObject({ paused: 'stopped', messages: [{ id: 'a1' }, { id: 'b1' }] })
    await Promise.all([goOn(chatId), goOn(chatId)])
    const messages = await settle(chatId)
    expect(
      messages
        .filter(({ role }) => role === 'user')
        .map(({ id }) => id)
        .slice(1),
    ).toEqual(['a1', 'b1'])
    expect(messages.map(({ status }) => status)[1]).toBe('stopped')
  })

  it('pauses when the reply failed, and follows another reply to the same message', async () => {
    product.model.reply([{ status: 400, body: { error: { message: 'no' } } }])
    const gate = product.model.gate()
    product.model.reply([gate])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'First')
    await stream.ended
    // Nothing is ahead of this one, and the user has seen the failure.
    await queue(chatId, 'a1')
    await queue(chatId, 'b1')
    expect(await read(chatId)).toMatchObject({ messages: [{ id: 'b1' }], paused: null })
    product.model.reply([{ status: 400, body: { error: { message: 'no' } } }])
    await ada.post('/api/chat/stop', { chatId })
    gate.open()
    expect((await read(chatId)).paused).toBe('stopped')
    const again = await ada.complete({ chatId, userMessageId: 'a1' })
    await again.ended
    expect(await read(chatId)).toMatchObject({ messages: [{ id: 'b1' }], paused: 'failed' })
    await goOn(chatId)
    expect((await settle(chatId)).map(({ id }) => id)).toContain('b1')
  })

  it('does not deny a call that waits for approval, unless the user lets it go on', async () => {
    const chatId = await ada.newChat()
    product.model.reply([callOf('polite', 'act', { n: 1 })])
    const stream = await ada.send(chatId, 'Do it')
    await stream.ended
    expect((await queue(chatId, 'a1')).json()).toMatchObject({ paused: 'approval', messages: [{ id: 'a1' }] })
    await queue(chatId, 'b1')
    const call = waitingCall(chatId, stream)
    product.model.reply(['Done.'])
    product.model.reply([callOf('polite', 'act', { n: 2 })])
    await (
      await ada.confirm({ ...call })
    ).ended
    await expect.poll(() => read(chatId)).toMatchObject({ paused: 'approval', messages: [{ id: 'b1' }] })
    const calls = await product.countCalls('polite')
    expect((await goOn(chatId)).json()).toMatchObject({ messages: [] })
    const messages = await settle(chatId)
    const [first, second] = messages.filter((message) => message.call !== undefined)
    expect([first?.call?.state, second?.call?.state]).toEqual(['answered', 'denied'])
    expect(messages.at(-2)?.id).toBe('b1')
    expect(await product.countCalls('polite')).toBe(calls)
    expect((await product.listRecords(ada)).at(-1)).toMatchObject({ tool: 'act', outcome: 'denied' })
    // As with any other denial, the user is told later where it was.
    expect(second?.call?.decision).toMatchObject({ kind: 'denied', on: 'another program' })
    const decided = await ada.get('/api/tool-calls?limit=1')
    expect(decided.json()).toMatchObject({ calls: [{ decided_on: 'another program' }] })
  })

  it('does not go on after a call that nobody decided in time, unless the user lets it go on', async () => {
    const chatId = await ada.newChat()
    product.model.reply([callOf('polite', 'act', { n: 1 })])
    const stream = await ada.send(chatId, 'Do it')
    await stream.ended
    await queue(chatId, 'a1')
    const { db } = product.database
    const waiting = db.selectFrom('messages').select('call').where('chat_id', '=', chatId)
    const { call } = await waiting.where('call_state', '=', 'waiting').executeTakeFirstOrThrow()
    const expired = { ...(JSON.parse(call ?? '') as object), decision: { kind: 'expired', at: 1 } }
    await db
      .updateTable('messages')
      .set({ call_state: 'denied', call: JSON.stringify(expired) })
      .where('chat_id', '=', chatId)
      .where('call_state', '=', 'waiting')
      .execute()
    expect(await read(chatId)).toMatchObject({ paused: 'expired', messages: [{ id: 'a1' }] })
    await goOn(chatId)
    expect((await settle(chatId)).map(({ id }) => id)).toContain('a1')
  })

  it('sends a message now, keeps the text of the reply, and goes on with the others', async () => {
    const { chatId, gate } = await begin(['Half'])
    await queue(chatId, 'a1')
    await queue(chatId, 'b1')
    expect((await ada.post('/api/chat/queue/b1/send', { chatId })).json()).toMatchObject({
      messages: [{ id: 'a1' }],
    })
    gate.open()
    const messages = await settle(chatId)
    expect(messages[1]).toMatchObject({ content: 'Half', status: 'stopped' })
    expect(messages.map(({ id }) => id).filter((id) => ['a1', 'b1'].includes(id))).toEqual(['b1', 'a1'])
  })

  it('waits with a message whose bot was deleted, and sends with the bot as it is now', async () => {
    await ada.post('/api/bot', { name: 'Old', model: 'scripted' })
    const { chatId, gate, stream } = await begin()
    await queue(chatId, 'a1', { botName: 'Old' })
    await queue(chatId, 'b1', { botName: 'Old' })
    await ada.put('/api/bot/Old', { name: 'New', model: 'other' })
    gate.open()
    await stream.ended
    const second = product.model.gate()
    product.model.reply(['Fine', second])
    await expect.poll(async () => (await ada.readChat(chatId)).messages[3]).toMatchObject({ bot: 'New' })
    expect(await read(chatId)).toMatchObject({ messages: [{ id: 'b1', bot: 'New' }] })
    await ada.delete('/api/bot/New')
    second.open()
    await settle(chatId)
    expect(await read(chatId)).toMatchObject({ paused: 'no_bot', messages: [{ id: 'b1', bot: null }] })
    expect(statusAndBody(await goOn(chatId))).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('bot') } },
    })
    await ada.post('/api/bot', { name: 'Newer', model: 'scripted' })
    expect((await change(chatId, 'b1', { botName: 'Newer' })).json()).toEqual({ messages: [], paused: null })
    expect((await settle(chatId)).slice(-2)).toMatchObject([{ id: 'b1' }, { bot: 'Newer' }])
  })

  it('does not go on after another pause than the user saw', async () => {
    const { chatId } = await begin()
    await queue(chatId, 'a1')
    await queue(chatId, 'b1')
    await ada.post('/api/chat/stop', { chatId })
    const seen = await read(chatId)
    product.model.reply([callOf('polite', 'act', { n: 1 })])
    await goOnAfter(chatId, seen)
    await expect.poll(() => read(chatId)).toMatchObject({ paused: 'approval', messages: [{ id: 'b1' }] })
    const before = await hashTables(product.database)
    // The second click of the same button, one on a page that knows the queue but not the call, and one that is made up.
    for (const stale of [
      seen,
      { ...seen, messages: seen.messages.slice(1) },
      { ...seen, paused: 'refused' as const },
    ])
      expect((await goOnAfter(chatId, stale)).json()).toMatchObject({ paused: 'approval' })
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('is of the shown branch, and each waits until its branch is shown', async () => {
    const { chatId, gate, stream } = await begin()
    await queue(chatId, 'a1')
    await ada.post('/api/chat/stop', { chatId })
    gate.open()
    await stream.ended
    const [, reply] = (await ada.readChat(chatId)).messages
    const other = await ada.send(chatId, 'Another first', { parentId: null })
    await other.ended
    expect(await read(chatId)).toEqual({ messages: [], paused: null })
    await ada.post('/api/chat/select-response', { chatId, messageId: reply?.id })
    expect(await read(chatId)).toMatchObject({ messages: [{ id: 'a1' }], paused: 'stopped' })
    await goOn(chatId)
    const messages = await settle(chatId)
    expect(messages.find(({ id }) => id === 'a1')?.parent_id).toBe(reply?.id)
  })

  it('keeps the files of messages that wait', async () => {
    const { chatId, gate } = await begin()
    const file = await uploadFile(product.base, ada, 'notes.txt', Buffer.from('notes'))
    await queue(chatId, 'a1', { content: [{ text: 'Read it' }, { file: { id: file.id } }] })
    expect((await ada.delete(`/api/files/${file.id}`)).statusCode).not.toBe(204)
    expect((await read(chatId)).messages[0]?.content).toMatchObject([
      { type: 'text', text: 'Read it' },
      { type: 'file', file: { id: file.id, name: 'notes.txt' } },
    ])
    gate.open()
    const messages = await settle(chatId)
    expect(messages.find(({ id }) => id === 'a1')?.content).toMatchObject([{}, { file: { id: file.id } }])
  })

  describe('a message that steers', () => {
    /** A reply that calls the calculator, and waits with its second reply. */
    const beginWithCall = async () => {
      const [first, second] = [product.model.gate(), product.model.gate()]
      product.model.reply(['Let me see.', first, calculate('1 + 1')])
      product.model.reply([second, 'It is 2.'])
      const chatId = await ada.newChat()
      const stream = await ada.send(chatId, 'First')
      await stream.until(({ text }) => text !== '')
      return { chatId, stream, first, second }
    }

    it('goes into the running reply after the next result, before what waits otherwise', async () => {
      const { chatId, stream, first, second } = await beginWithCall()
      await queue(chatId, 'a1')
      await queue(chatId, 'steer')
      await queue(chatId, 'c1')
      expect((await change(chatId, 'steer', { steers: true })).json()).toMatchObject({
        messages: [{ id: 'steer', steers: true }, { id: 'a1' }, { id: 'c1' }],
      })
      await change(chatId, 'c1', { steers: true })
      expect(await idsOf(chatId)).toEqual(['steer', 'c1', 'a1'])
      // Taken back, it is one of the others again.
      await change(chatId, 'c1', { steers: false })
      first.open()
      await stream.until(({ events }) => events.some(({ type }) => type === 'message'))
      expect(await idsOf(chatId)).toEqual(['c1', 'a1'])
      second.open()
      await stream.ended
      expect(product.sentToModel()).toBeDefined()
      const request = product.model.requests.find(({ body }) =>
        JSON.stringify(body.messages?.at(-1)).includes('Text of steer'),
      )
      expect(request?.body.messages?.map(({ role }) => role).slice(-5)).toEqual([
        'user',
        'assistant',
        'tool',
        // Some providers accept no message of the user right after results.
        'assistant',
        'user',
      ])
      const messages = await settle(chatId)
      expect(messages.slice(0, 5)).toEqual(stream.run.messages)
      expect(stream.run.messages.map(({ role, id }) => (role === 'user' ? id : ''))).toEqual([
        expect.any(String),
        '',
        expect.any(String),
        'steer',
        '',
      ])
      expect(messages.filter(({ role, outcome }) => role === 'user' && outcome === undefined)).toMatchObject([
        {},
        { id: 'steer' },
        { id: 'c1' },
        { id: 'a1' },
      ])
    })

    it('cannot be changed between its step and the commit of that, and waits again if there was none', async () => {
      const { chatId, stream, first, second } = await beginWithCall()
      await queue(chatId, 'a1')
      await change(chatId, 'a1', { steers: true })
      const { database } = product
      const run = await database.db
        .selectFrom('runs')
        .select(['id', 'message_id'])
        .where('chat_id', '=', chatId)
        .executeTakeFirstOrThrow()
      const place = { user: ada.user, chatId, runId: run.id, replyId: run.message_id }
      expect((await takeSteering(database, place)).map(({ id }) => id)).toEqual(['a1'])
      const before = await hashTables(database)
      const refused = [
        await change(chatId, 'a1', { steers: false }),
        await change(chatId, 'a1', { content: 'Other' }),
        await remove(chatId, 'a1'),
      ]
      expect(refused.map(({ statusCode }) => statusCode)).toEqual([409, 409, 409])
      // It goes into the reply, so that is not stopped for it.
      expect((await ada.post('/api/chat/queue/a1/send', { chatId })).statusCode).toBe(200)
      expect(await hashTables(database)).toEqual(before)
      await ada.post('/api/chat/stop', { chatId })
      expect(await read(chatId)).toMatchObject({ messages: [{ id: 'a1' }], paused: 'stopped' })
      expect((await remove(chatId, 'a1')).statusCode).toBe(200)
      first.open()
      second.open()
      await stream.ended
      // The second reply was not requested.
      await (
        await ada.send(chatId, 'Go on')
      ).ended
    })

    it('is followed by a client that sends it again', async () => {
      const { chatId, first, second, stream } = await beginWithCall()
      await queue(chatId, 'a1')
      await change(chatId, 'a1', { steers: true })
      first.open()
      await stream.until(({ events }) => events.some(({ type }) => type === 'message'))
      const again = await ada.send(chatId, 'Text of a1', { id: 'a1' })
      second.open()
      await Promise.all([stream.ended, again.ended])
      expect(again.text).toBe('It is 2.')
      expect(await settle(chatId)).toHaveLength(5)
    })

    it('is the next message when the reply reaches no other step', async () => {
      const { chatId, gate } = await begin()
      await queue(chatId, 'a1')
      await queue(chatId, 'b1')
      await change(chatId, 'b1', { steers: true })
      gate.open()
      const messages = await settle(chatId)
      expect(messages.map(({ id }) => id).filter((id) => ['a1', 'b1'].includes(id))).toEqual(['b1', 'a1'])
    })

    it('can be answered again, and found', async () => {
      const { chatId, first, second, stream } = await beginWithCall()
      await queue(chatId, 'a1', { content: 'Use zebrafish instead' })
      await change(chatId, 'a1', { steers: true })
      first.open()
      second.open()
      await stream.ended
      const again = await ada.complete({ chatId, userMessageId: 'a1' })
      await again.ended
      expect(again.run.messages.map(({ parent_id }) => parent_id)).toEqual([expect.any(String), 'a1'])
      await expect.poll(async () => (await ada.get('/api/chats?search=zebrafish')).body).toContain(chatId)
    })

    it('goes in once, or not at all, when it is taken back at the same moment', async () => {
      const outcomes = new Set<boolean>()
      const moments = [undefined, undefined, 'tool_call', 'tool_result', 'message'] as const
      for (let round = 0; round < 10; round++) {
        const { chatId, first, second, stream } = await beginWithCall()
        await queue(chatId, 'a1')
        await change(chatId, 'a1', { steers: true })
        // Before the step, at each moment near it, and after it.
        const moment = moments[round % moments.length]
        const taken = moment === undefined ? change(chatId, 'a1', { steers: false }) : undefined
        if (round % 2 === 0) await taken
        first.open()
        if (moment !== undefined)
          await stream.until(({ events }) => events.some(({ type }) => type === moment))
        const response = await (taken ?? change(chatId, 'a1', { steers: false }))
        second.open()
        await stream.ended
        const messages = await settle(chatId)
        expect(messages.filter(({ id }) => id === 'a1')).toHaveLength(1)
        const isIn = stream.run.messages.some(({ id }) => id === 'a1')
        expect([response.statusCode, isIn]).toEqual(isIn ? [409, true] : [200, false])
        outcomes.add(isIn)
      }
      expect(outcomes.size).toBe(2)
    })
  })
})
