import { SharedChat } from '@yonder/contract/share'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { engines } from '../testing/database/test-database.ts'
import { addChat, addPath, type NewPathMessage } from '../testing/factories/chats.ts'
import { holdResponses } from '../testing/hold-responses.ts'
import { openTestApp } from '../testing/test-app.ts'

const host = 'localhost:3000'

describe.each(engines)('a shared chat on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine, environment: { RATE_LIMIT_SHARE_READS: '100000' } })
    ada = await product.join('Ada')
  })
  afterAll(() => product.close())

  const visit = (id: string) => product.app.inject({ url: `/api/share/${id}`, headers: { host } })
  const read = async (id: string) => SharedChat.parse((await visit(id)).json())
  const share = async (chatId: string, messageId: string) =>
    (await ada.post(`/api/share/${chatId}`, { messageId })).json<{ shareId: string }>().shareId

  /** Stores a chat directly in the database, with fields that the API cannot set. */
  async function write(chatId: string, messages: readonly NewPathMessage[]): Promise<void> {
    const { db } = product.database
    const chat = await addChat(db, { id: chatId, user_id: ada.user.id, updated_at: Date.now() })
    await addPath(db, chat, messages)
  }

  async function sendMessages(chatId: string, ...texts: readonly string[]): Promise<readonly string[]> {
    const ids: string[] = []
    for (const text of texts) {
      const stream = await ada.send(chatId, text)
      await stream.ended
      ids.push(...stream.run.messages.map(({ id }) => id))
    }
    return ids
  }

  it('contains the path to its message, oldest first, and no other branch (§1.6, §7.9)', async () => {
    const chatId = await ada.newChat()
    for (const text of ['One', 'First answer', 'Two']) product.model.reply([text])
    const [question = '', first = ''] = await sendMessages(chatId, 'Ask')
    const again = await ada.complete({ chatId, userMessageId: question })
    await again.ended
    await sendMessages(chatId, 'Go on')
    const shared = await read(await share(chatId, first))
    expect(shared.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Ask'],
      ['assistant', 'One'],
    ])
    expect(shared.selected_message_id).toBe(shared.messages.at(-1)?.id)
    expect(shared.messages.map(({ parent_id }) => parent_id)).toEqual([null, shared.messages[0]?.id])
  })

  it('does not change when the chat continues, branches and is shared again (§1.6)', async () => {
    const chatId = await ada.newChat()
    const [question = '', reply = ''] = await sendMessages(chatId, 'Hello')
    const shareId = await share(chatId, reply)
    const before = await visit(shareId)
    expect(before.statusCode).toBe(200)
    await sendMessages(chatId, 'More')
    const again = await ada.complete({ chatId, userMessageId: question })
    await again.ended
    await sendMessages(chatId, 'Other branch')
    await ada.complete({ chatId, content: 'Edited', parentId: null }).then((stream) => stream.ended)
    await ada.post('/api/chat/select-response', { chatId, messageId: reply })
    await share(chatId, reply)
    expect((await ada.readChat(chatId)).messages.length).toBeGreaterThan(6)
    expect((await visit(shareId)).body).toBe(before.body)
  })

  it('shows the name and state of a tool call, but not its arguments and result', async () => {
    const call = '{"id":"secret-id","name":"files__read","fingerprint":"secret","rest":[]}'
    await write(`tools-${engine}`, [
      { id: 'q', role: 'user', content: 'Look it up' },
      {
        id: 'a',
        role: 'assistant',
        content: 'Looking.',
        server: 'files',
        tool: 'read',
        arguments: '{"path":"secret-in"}',
        call_state: 'answered',
        call,
      },
      {
        id: 'r',
        role: 'user',
        content: 'secret-out',
        server: 'files',
        outcome: '{"status":"done","duration":1,"parts":[{"type":"text","text":"secret-out"}]}',
      },
      {
        id: 'b',
        role: 'assistant',
        content: 'Done.',
        reasoning: 'secret-thought',
        usage: '{"input_tokens":7,"output_tokens":7}',
      },
      {
        id: 'c',
        role: 'assistant',
        content: '',
        server: 'files',
        tool: 'write',
        arguments: '{"path":"secret-next"}',
        call_state: 'running',
        call,
      },
    ])
    const response = await visit(await share(`tools-${engine}`, 'c'))
    const times = { timestamp: expect.any(String) as string, unix_timestamp: expect.any(Number) as number }
    const expected = [
      { id: '1', parent_id: null, role: 'user', content: 'Look it up', status: 'complete' },
      {
        id: '2',
        parent_id: '1',
        role: 'assistant',
        content: 'Looking.',
        status: 'complete',
        server: 'files',
        tool: 'read',
        call: { state: 'answered' },
      },
      {
        id: '3',
        parent_id: '2',
        role: 'user',
        content: '',
        status: 'complete',
        server: 'files',
        outcome: { status: 'done', duration: null, parts: [] },
      },
      { id: '4', parent_id: '3', role: 'assistant', content: 'Done.', status: 'complete' },
      {
        id: '5',
        parent_id: '4',
        role: 'assistant',
        content: '',
        status: 'complete',
        server: 'files',
        tool: 'write',
        // The state that the call reached after the share is not public.
        call: { state: 'waiting' },
      },
    ]
    expect(SharedChat.parse(response.json()).messages).toEqual(
      expected.map((message) => ({ ...message, ...times })),
    )
    expect(response.body).not.toMatch(/secret|usage|reasoning|arguments/)
  })

  it.each([
    ['tool_error', 'failed'],
    ['failed', 'failed'],
    ['authorization_needed', 'failed'],
    ['timed_out', 'timed_out'],
    ['stopped', 'stopped'],
    ['interrupted', 'interrupted'],
  ])('shows that a call ended as %s with the outcome %s, without the reason', async (status, shown) => {
    const id = `ended-${status}-${engine}`
    const outcome = { status, duration: 7, parts: [{ type: 'text', text: 'secret' }] }
    const call = '{"id":"secret","name":"files__read","rest":[]}'
    await write(id, [
      { id: 'q', content: 'Look it up' },
      { id: 'a', role: 'assistant', server: 'files', tool: 'read', call_state: 'answered', call },
      { id: 'r', content: 'secret', server: 'files', outcome: JSON.stringify(outcome) },
    ])
    const response = await visit(await share(id, 'r'))
    expect(SharedChat.parse(response.json()).messages[2]).toMatchObject({
      content: '',
      outcome: { status: shown, duration: null, parts: [] },
    })
    expect(response.body).not.toContain('secret')
  })

  it('shows that a call was denied, without the reason, the device and changed arguments', async () => {
    const id = `reasons-${engine}`
    const call = JSON.stringify({
      id: '1',
      name: 'files__read',
      rest: [],
      deniedBy: 'reason',
      edited: '{"a":"secret"}',
      decision: { kind: 'denied', at: 1, on: 'secret phone', reason: 'secret' },
    })
    await write(id, [
      { id: 'u', content: 'Read it' },
      { id: 'a', role: 'assistant', server: 'files', tool: 'read', call_state: 'denied', call },
      { id: 'reason', content: 'secret' },
      { id: 'b', role: 'assistant', content: 'Then not.' },
    ])
    const response = await visit(await share(id, 'b'))
    expect(
      SharedChat.parse(response.json()).messages.map(({ content, call: shown }) => [content, shown]),
    ).toEqual([
      ['Read it', undefined],
      ['', { state: 'denied', denied_by: '3' }],
      ['', undefined],
      ['Then not.', undefined],
    ])
    expect(response.body).not.toContain('secret')
  })

  it('does not call a call denied whose result is on another branch', async () => {
    const id = `elsewhere-${engine}`
    const call = '{"id":"1","name":"files__read","rest":[]}'
    await write(id, [
      { id: 'q', content: 'Look it up' },
      { id: 'a', role: 'assistant', server: 'files', tool: 'read', call_state: 'answered', call },
      { id: 'm', content: 'Something else' },
      { id: 'b', role: 'assistant', server: 'files', tool: 'read', call_state: 'denied', call },
      { id: 'n', content: 'cancel' },
    ])
    const { messages } = await read(await share(id, 'n'))
    expect(messages.map(({ call }) => call?.state)).toEqual([
      undefined,
      'answered',
      undefined,
      'denied',
      undefined,
    ])
  })

  it('shows the text of a message with files, and of them only what they are called', async () => {
    const file = { id: 'private', name: 'cat.png', type: 'image/png', size: 3 }
    const files = JSON.stringify([file])
    await write(`files-${engine}`, [{ id: 'a', role: 'user', content: 'My cat', files }])
    expect((await ada.readChat(`files-${engine}`)).messages[0]?.content).toEqual([
      { type: 'text', text: 'My cat' },
      { type: 'file', file },
    ])
    const shared = await read(await share(`files-${engine}`, 'a'))
    expect(shared.messages[0]?.content).toEqual([
      { type: 'text', text: 'My cat' },
      { type: 'file', file: { ...file, id: '' } },
    ])
  })

  it('does not show why a reply failed, because the reason may contain an address or a key', async () => {
    await write(`failed-${engine}`, [
      { id: 'q', role: 'user', content: 'Hi' },
      {
        id: 'a',
        role: 'assistant',
        content: 'Some text',
        status: 'failed',
        error_code: 'upstream_refused_key',
        error_message: 'http://10.0.0.5 refused sk-secret',
      },
    ])
    const response = await visit(await share(`failed-${engine}`, 'a'))
    expect(response.body).not.toMatch(/secret|10\.0\.0\.5|refused/)
    expect(SharedChat.parse(response.json()).messages[1]).toMatchObject({
      status: 'failed',
      content: '**Error:** This reply failed.',
      partial: 'Some text',
    })
  })

  it('does not contain the owner, the bot, or the ids of the chat and its messages', async () => {
    const chatId = await ada.newChat()
    const ids = await sendMessages(chatId, 'Who am I?')
    const { body } = await visit(await share(chatId, ids[1] ?? ''))
    const bots = await product.database.db.selectFrom('bots').select('name').execute()
    const { user } = ada
    for (const secret of [
      chatId,
      ...ids,
      user.id,
      user.subject,
      user.email ?? '',
      user.name ?? '',
      ...bots.map(({ name }) => name),
    ]) {
      expect(secret).not.toBe('')
      expect(body).not.toContain(secret)
    }
  })

  it('responds to an unknown, a revoked and an invalid id in the same way, after the same query', async () => {
    const chatId = await ada.newChat()
    const [, reply = ''] = await sendMessages(chatId, 'Short life')
    const revoked = await share(chatId, reply)
    await ada.delete(`/api/share/${revoked}`)
    const responses = []
    for (const id of [revoked, 'AAAAAAAAAAAAAAAAAAAAAA', chatId, reply, '%00', 'x'.repeat(900), "'--"]) {
      const { statusCode, body, headers } = await visit(id)
      responses.push(JSON.stringify([statusCode, body, headers['cache-control'], headers['x-robots-tag']]))
    }
    expect(responses[0]).toContain('404')
    expect(new Set(responses).size).toBe(1)
    // A revoked link is deleted, so it is looked up with the same query, in the same time, as an unknown one.
    const left = await product.database.db
      .selectFrom('shares')
      .select('id')
      .where('id', '=', revoked)
      .execute()
    expect(left).toEqual([])
  })

  it('must not be stored by caches and search engines, whether found or not', async () => {
    const chatId = await ada.newChat()
    const [, reply = ''] = await sendMessages(chatId, 'Hidden')
    for (const response of [await visit(await share(chatId, reply)), await visit('missing')]) {
      expect(response.headers).toMatchObject({
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex, nofollow',
        'referrer-policy': 'no-referrer',
      })
    }
  })

  it('contains no id with which a visitor could open or change anything (§6.2)', async () => {
    const chatId = await ada.newChat()
    const [, reply = ''] = await sendMessages(chatId, 'Look, do not touch')
    const shareId = await share(chatId, reply)
    const eve = await product.join('Eve')
    const shared = await read(shareId)
    const state = () =>
      Promise.all([
        product.database.db.selectFrom('messages').selectAll().orderBy('position').execute(),
        product.database.db.selectFrom('shares').selectAll().orderBy('id').execute(),
        product.database.db.selectFrom('chats').selectAll().orderBy('id').execute(),
      ])
    const before = await state()
    for (const id of [shareId, shared.id, ...shared.messages.map((message) => message.id)]) {
      const responses = [
        await eve.get(`/api/chats/${id}`),
        await eve.post('/api/chat/completions', { chatId: id, content: 'x', botName: 'Helper' }),
        await eve.post('/api/chat/completions', { chatId: id, userMessageId: '1', botName: 'Helper' }),
        await eve.post('/api/chat/select-response', { chatId: id, messageId: '1' }),
        await eve.post('/api/chat/stop', { chatId: id }),
        await eve.get(`/api/chat/${id}/stream`),
        await eve.post(`/api/share/${id}`, { messageId: '1' }),
        await eve.delete(`/api/share/${id}`),
      ]
      expect(responses.map(({ statusCode }) => statusCode)).toEqual(responses.map(() => 404))
    }
    expect(await state()).toEqual(before)
  })

  it('is read one at a time, whoever reads it', async () => {
    const held = holdResponses('/api/share/')
    const gated = await openTestApp({ engine, addHooks: held.addHooks })
    const owner = await gated.signIn('Ada')
    const { user } = owner
    const { db } = gated.database
    const chat = await addChat(db, { user_id: user.id })
    const path = await addPath(db, chat, [
      { id: 'first', role: 'user', content: 'Hello' },
      { id: 'second', role: 'assistant', content: 'Hi' },
    ])
    const shares = path.map(({ id }) => ({ id, user_id: user.id, chat_id: chat.id, message_id: id }))
    await db
      .insertInto('shares')
      .values(shares.map((share) => ({ ...share, created_at: 1, files: 0 })))
      .execute()
    const read = (id: string, remoteAddress: string) =>
      gated.app.inject({ url: `/api/share/${id}`, headers: { host }, remoteAddress })
    const responses = [read('first', '192.0.2.1')]
    await expect.poll(() => held.readUrls).toEqual(['/api/share/first'])
    responses.push(read('second', '192.0.2.2'))
    // Requests that do not wait are answered, so the second read would have begun as well.
    for (let index = 0; index < 3; index++) {
      expect((await owner.get(`/api/chats/${chat.id}`)).statusCode).toBe(200)
    }
    expect(held.readUrls).toEqual(['/api/share/first'])
    held.release('/api/share/first')
    await expect.poll(() => held.readUrls).toEqual(['/api/share/first', '/api/share/second'])
    held.release('/api/share/second')
    const statuses = (await Promise.all(responses)).map(({ statusCode }) => statusCode)
    await gated.close()
    expect(statuses).toEqual([200, 200])
  })

  it('contains the whole path, even if it is very long', async () => {
    await write(`long-${engine}`, [{ id: 'm0', role: 'user', content: 'text 0' }])
    const { db } = product.database
    const messages = Array.from({ length: 1_200 }, (_, index) => ({
      chat_id: `long-${engine}`,
      id: `m${index + 1}`,
      parent_id: `m${index}`,
      role: 'user',
      content: `text ${index + 1}`,
      status: 'complete',
      first_id: 'm0',
      unix_timestamp: index + 1,
    }))
    await db.insertInto('messages').values(messages).execute()
    const shared = await read(await share(`long-${engine}`, 'm1200'))
    expect(shared.messages.map(({ content }) => content)).toEqual([
      'text 0',
      ...messages.map(({ content }) => content),
    ])
  })
})

it('is rate-limited by address for all ids together', async () => {
  const product = await openTestApp({ environment: { RATE_LIMIT_SHARE_READS: '3' } })
  const visit = (id: string, remoteAddress: string) =>
    product.app.inject({ url: `/api/share/${id}`, headers: { host }, remoteAddress })
  const statuses = []
  for (const id of ['a', 'b', '%00', 'c']) statuses.push((await visit(id, '192.0.2.1')).statusCode)
  expect(statuses).toEqual([404, 404, 404, 429])
  const refused = await visit('d', '192.0.2.1')
  expect(refused.json()).toMatchObject({ error: { code: 'rate_limited' } })
  expect(refused.headers['cache-control']).toBe('no-store')
  expect((await visit('a', '192.0.2.2')).statusCode).toBe(404)
  await product.close()
})
