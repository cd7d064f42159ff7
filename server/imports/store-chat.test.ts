import type { Message } from '@yonder/contract/message'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteUnusedChats } from '../chats/chat-store.ts'
import { listPath } from '../chats/message-store.ts'
import { buildPrompt } from '../completions/prompt/build-prompt.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines, openTestDatabase, type TestDatabase } from '../testing/database/test-database.ts'
import { addUser } from '../testing/factories/users.ts'
import {
  importedChat,
  importedMessage,
  importFrame,
  importTime,
  listMessages,
  storeImported,
} from '../testing/imports/imported-chats.ts'
import { faultRounds } from '../testing/models/strict/soak-runs.ts'
import type { ImportedChat } from './imported-chat.ts'
import { toStorableChat } from './storable-chat.ts'
import type { ImportFrame } from './store-chat.ts'

describe.each(engines)('a chat of an import, on %s', (engine) => {
  let database: TestDatabase
  let frame: ImportFrame
  beforeAll(async () => {
    database = await openTestDatabase(engine)
    for (const id of ['ada', 'eve']) await addUser(database.db, { id })
    frame = importFrame(database)
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    for (const table of ['chats', 'user_files', 'projects', 'search_queue'] as const)
      await database.db.deleteFrom(table).execute()
  })

  const store = (chat: ImportedChat, more: Partial<ImportFrame> = {}) =>
    storeImported({ ...frame, ...more }, chat)
  const listChats = () => database.db.selectFrom('chats').selectAll().orderBy('updated_at').execute()
  const readChat = async (chatId: string) => {
    const chat = await database.db.selectFrom('chats').selectAll().where('id', '=', chatId).executeTakeFirst()
    if (chat === undefined) throw new Error('There is no such chat.')
    return chat
  }
  const messagesOf = (chatId: string) => listMessages(database.db, chatId)
  const changeLeaf = (id: string, selected_message_id: string) =>
    database.db.updateTable('chats').set({ selected_message_id }).where('id', '=', id).execute()

  it('is stored with its title, times and place, and can be searched', async () => {
    const { id, outcome } = await store(importedChat({ isArchived: true, isPinned: true }), { botId: 'bot' })
    expect(outcome).toBe('new')
    expect(await readChat(id)).toMatchObject({
      user_id: 'ada',
      title: 'Boats',
      title_key: 'boats',
      title_source: 'user',
      created_at: importTime - 9_000,
      updated_at: importTime - 8_000,
      selected_message_id: 'a1',
      archived: 1,
      pinned: 1,
      unread: 0,
      chars: 'Text of u1Text of a1'.length,
      source: 'chatgpt',
      source_id: 'c1',
      bot_id: 'bot',
    })
    expect(await messagesOf(id)).toMatchObject([
      { id: 'u1', first_id: 'u1', second_id: null, unix_timestamp: importTime - 9_000, bot_id: null },
      { id: 'a1', first_id: 'u1', second_id: 'a1', unix_timestamp: importTime - 8_000, model: 'gpt-4' },
    ])
    expect(await database.db.selectFrom('search_queue').selectAll().execute()).toHaveLength(2)
  })

  it('has the beginning of its first message as title when it has none, and is not of today', async () => {
    const { id } = await store(
      importedChat({ title: null, titleSource: null, createdAt: null, updatedAt: null }),
    )
    expect(await readChat(id)).toMatchObject({
      title: 'Text of u1',
      title_source: null,
      created_at: importTime - 9_000,
      updated_at: importTime - 8_000,
    })
  })

  it('adds nothing when it is imported again, and only what is new after that', async () => {
    const first = await store(importedChat())
    const before = await hashTables(database)
    expect(await store(importedChat())).toEqual({ ...first, outcome: 'known' })
    expect(await hashTables(database)).toEqual(before)

    const { messages } = importedChat()
    const longer = importedChat({
      updatedAt: importTime - 1,
      messages: [
        ...messages,
        importedMessage('u2', 'a1'),
        importedMessage('a2', 'u2', { role: 'assistant' }),
      ],
    })
    expect(await store(longer)).toEqual({ ...first, outcome: 'changed' })
    expect((await messagesOf(first.id)).map(({ id }) => id)).toEqual(['u1', 'a1', 'u2', 'a2'])
    // What the user sees is still shown, and more.
    expect(await readChat(first.id)).toMatchObject({
      selected_message_id: 'a2',
      updated_at: importTime - 1,
      chars: 'Text of u1'.length * 4,
    })
    expect(await store(longer)).toMatchObject({ outcome: 'known' })
  })

  it('keeps the path that the user has chosen', async () => {
    const branches = importedChat({
      messages: [...importedChat().messages, importedMessage('b1', 'u1', { role: 'assistant' })],
    })
    const { id } = await store(branches)
    expect(await readChat(id)).toMatchObject({ selected_message_id: 'b1' })
    await changeLeaf(id, 'a1')
    await store(
      importedChat({
        messages: [...branches.messages, importedMessage('u2', 'b1')],
        selectedMessageId: 'u2',
      }),
    )
    expect(await readChat(id)).toMatchObject({ selected_message_id: 'a1' })
  })

  it('has strictly rising times, which are those of the export where they can be', async () => {
    const time = importTime - 1_000
    const { id } = await store(
      importedChat({
        createdAt: time,
        messages: [
          importedMessage('u1', null),
          // Before its parent, at the same time as another, and of 1970.
          importedMessage('a1', 'u1', { unix_timestamp: time - 500 }),
          importedMessage('b1', 'u1', { unix_timestamp: time + 1 }),
          importedMessage('u2', 'b1', { unix_timestamp: 5_000 }),
          importedMessage('a2', 'u2', { unix_timestamp: time + 400 }),
          // Of another branch, and older.
          importedMessage('c1', 'u1', { unix_timestamp: time + 100 }),
          // The year 2100.
          importedMessage('u3', 'a2', { unix_timestamp: 4_102_444_800_000 }),
        ],
      }),
    )
    const times = new Map(
      (await messagesOf(id)).map((message) => [message.id, message.unix_timestamp - time]),
    )
    expect(Object.fromEntries(times)).toEqual({
      u1: 0,
      a1: 1,
      b1: 2,
      u2: 3,
      c1: 100,
      a2: 400,
      u3: 1_000,
    })
  })

  it('of 1970, or without a time, is of today', async () => {
    const messages = [importedMessage('u1', null, { unix_timestamp: 5_000 })]
    const { id } = await store(importedChat({ createdAt: 4_000, updatedAt: 6_000, messages }))
    expect(await readChat(id)).toMatchObject({ created_at: importTime, updated_at: importTime })
    expect(await messagesOf(id)).toMatchObject([{ unix_timestamp: importTime }])
  })

  it('gives messages with other ids the same ones each time', async () => {
    const odd = importedChat({
      messages: [importedMessage('ein Ü', null), importedMessage('x/y', 'ein Ü', { role: 'assistant' })],
    })
    const { id } = await store(odd)
    const messages = await messagesOf(id)
    expect(messages.every((message) => /^[\w-]{1,64}$/.test(message.id))).toBe(true)
    expect(messages[1]?.parent_id).toBe(messages[0]?.id)
    expect(await readChat(id)).toMatchObject({ selected_message_id: messages[1]?.id })
    expect(await store(odd)).toMatchObject({ outcome: 'known' })
  })

  it('is here already while it can be restored, and comes again when it is gone', async () => {
    const { id } = await store(importedChat())
    const setDeleted = (deleted_at: number) =>
      database.db.updateTable('chats').set({ deleted_at }).where('id', '=', id).execute()
    await setDeleted(5)
    const longer = importedChat({ messages: [...importedChat().messages, importedMessage('u2', 'a1')] })
    expect(await store(longer)).toMatchObject({ id, outcome: 'known' })
    await setDeleted(0)
    const again = await store(longer)
    expect(again).toMatchObject({ outcome: 'new' })
    expect(again.id).not.toBe(id)
    expect((await messagesOf(again.id)).length).toBe(3)
  })

  it('of our own export is the chat with its id, only of the same user', async () => {
    const { id } = await store(importedChat({ sourceId: 'elsewhere' }))
    const own = importedChat({ sourceId: id })
    expect(await storeImported(frame, own, 'yonder')).toMatchObject({ id, outcome: 'known' })
    const theirs = await storeImported({ ...frame, actor: { id: 'eve' } }, own, 'yonder')
    expect(theirs).toMatchObject({ outcome: 'new' })
    expect(theirs.id).not.toBe(id)
    expect(await readChat(theirs.id)).toMatchObject({ user_id: 'eve', source: 'yonder', source_id: id })
    // What was imported there and comes back is the chat from which it was exported.
    const back = { ...importedChat({ sourceId: theirs.id }), origin: { product: 'yonder', id } as const }
    expect(await storeImported(frame, back, 'yonder')).toMatchObject({ id, outcome: 'known' })
    // What was imported there counts as imported here.
    const origin = { product: 'chatgpt', id: 'elsewhere' } as const
    const copied = importedChat({ sourceId: 'of another server', origin })
    expect(await storeImported(frame, copied, 'yonder')).toMatchObject({ id, outcome: 'known' })
  })

  it('refers to no rows of others', async () => {
    const { db } = database
    const theirs = await storeImported({ ...frame, actor: { id: 'eve' } }, importedChat(), 'chatgpt')
    const file = { id: 'file-of-eve', name: 'a.txt', type: 'text/plain', size: 5 }
    const left = { connectors: [{ connector_id: 'of-eve', server: 'Mail', count: 1, tools: ['send'] }] }
    const { id } = await store(
      importedChat({
        messages: [
          importedMessage('u1', null, { content: [{ type: 'file', file }] }),
          importedMessage('a1', 'u1', { role: 'assistant', bot: 'Bot of Eve', left_out_tools: left }),
        ],
        files: [{ id: file.id, name: file.name, source: null }],
      }),
    )
    expect(id).not.toBe(theirs.id)
    const rows = JSON.stringify(await messagesOf(id))
    expect(rows).not.toContain('file-of-eve')
    expect(rows).not.toContain('of-eve"')
    expect(await db.selectFrom('message_files').selectAll().execute()).toEqual([])
    expect(await messagesOf(theirs.id)).toHaveLength(2)
  })

  it('shows its calls as imported; none can be approved, and no model is given one', async () => {
    const call: Partial<Message> = {
      role: 'assistant',
      content: 'Let me look.',
      reasoning: 'A thought.',
      server: 'ChatGPT',
      tool: 'search',
      arguments: '{"q":"boats"}',
      call: { state: 'waiting', title: 'Search', place: { index: 2, total: 3 } },
    }
    const outcome = { status: 'done' as const, duration: null, parts: [] }
    const messages = [
      importedMessage('u1', null),
      importedMessage('a1', 'u1', call),
      importedMessage('r1', 'a1', { server: 'ChatGPT', tool: 'search', content: 'Found it', outcome }),
      importedMessage('a2', 'r1', { role: 'assistant', content: 'A boat.', reasoning: 'Another thought.' }),
    ]
    const { id } = await store(importedChat({ messages }))
    const [, a1, r1] = await messagesOf(id)
    expect(a1).toMatchObject({
      call_state: 'answered',
      connector_id: null,
      server: 'ChatGPT',
      tool: 'search',
    })
    expect(JSON.parse(a1?.call ?? '')).toMatchObject({ imported: true, title: 'Search', rest: [] })
    expect(r1).toMatchObject({ connector_id: null, outcome: JSON.stringify(outcome) })

    const prompt = async (leaf: string) => buildPrompt(await listPath(database.db, id, leaf))
    const texts = (await prompt('a2')).map(({ role, parts }) => [role, ...parts])
    expect(texts).toEqual([
      ['user', { type: 'text', text: 'Text of u1' }],
      ['assistant', { type: 'text', text: 'Let me look.' }, { type: 'text', text: 'A boat.' }],
    ])
    // Another reply to the result: providers want to hear the user last.
    expect((await prompt('r1')).map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it('is refused when its messages are no tree, or too long, and one that is cut is interrupted', async () => {
    const refuse = async (messages: readonly Message[]) => {
      const chat = await toStorableChat(importedChat({ messages }), 'chatgpt', importTime)
      return 'problem' in chat ? chat.problem : undefined
    }
    expect(await refuse([])).toBe('No messages in it.')
    for (const messages of [
      [importedMessage('u1', 'missing')],
      [importedMessage('u1', 'a1'), importedMessage('a1', 'u1')],
      [importedMessage('u1', null), importedMessage('u1', null)],
      [importedMessage('u1', 'u1')],
    ])
      expect(await refuse(messages)).toBe('Its messages do not fit together.')
    expect(await refuse([importedMessage('u1', null, { status: 'odd' as never })])).toBe(
      'One of its messages cannot be read.',
    )
    const long = 'x'.repeat(10_000_001)
    expect(
      await refuse([
        importedMessage('u1', null, { content: long }),
        importedMessage('u2', null, { content: long }),
      ]),
    ).toContain('20,000,000 characters')
    // Nor in names, or in parts of results that are not its text.
    const parts = [{ type: 'text' as const, text: long }]
    for (const fields of [{ model: long }, { outcome: { status: 'done' as const, duration: null, parts } }]) {
      const messages = ['m1', 'm2', 'm3'].map((id) => importedMessage(id, null, fields))
      expect(await refuse(messages)).toContain('20,000,000 characters')
    }

    const { id } = await store(
      importedChat({
        messages: [
          importedMessage('u1', null, { content: 'NUL \0 and half \ud800' }),
          importedMessage('a1', 'u1', { role: 'assistant', status: 'streaming' }),
          // Another root.
          importedMessage('u2', null),
        ],
      }),
    )
    expect(await messagesOf(id)).toMatchObject([
      { content: 'NUL \ufffd and half \ufffd', status: 'complete' },
      { status: 'interrupted' },
      { parent_id: null, first_id: 'u2' },
    ])
  })

  it('stays although nothing of it was new to the deletion of unused chats', async () => {
    await store(importedChat({ createdAt: Date.UTC(2015, 1) }))
    await deleteUnusedChats(database.db, { expiredBefore: importTime, surplusBefore: importTime, max: 0 })
    expect(await listChats()).toHaveLength(1)
  })

  it('is not stored for a user who is being deleted, or is gone', async () => {
    await addUser(database.db, { id: 'leaving', disabled_at: 1, pending: 'delete' })
    for (const id of ['leaving', 'gone'])
      await expect(store(importedChat(), { actor: { id } })).rejects.toMatchObject({
        code: 'unauthenticated',
      })
    expect(await listChats()).toEqual([])
  })

  it('keeps its summaries, once', async () => {
    const compaction = {
      id: 's',
      message_id: 'a1',
      message_count: 2,
      content: 'A summary.',
      bot: 'Ada',
      model: 'm',
      edited: true,
      time: '2026-01-01T00:00:00.000Z',
    }
    const { id } = await store(
      importedChat({
        compactions: [
          compaction,
          { ...compaction, message_id: 'x' },
          { ...compaction, message_id: 'u1', content: 'x'.repeat(100_001) },
        ],
      }),
    )
    const list = () => database.db.selectFrom('compactions').selectAll().where('chat_id', '=', id).execute()
    expect(await list()).toMatchObject([{ message_id: 'a1', content: 'A summary.', edited: 1, bot: 'Ada' }])
    // The user has deleted it.
    await database.db.deleteFrom('compactions').execute()
    await store(importedChat({ compactions: [compaction] }))
    expect(await list()).toEqual([])
  })

  it('is stored once by two imports at once', async () => {
    const chats = Array.from({ length: 30 }, (_, index) =>
      importedChat({
        sourceId: `c${index}`,
        messages: Array.from({ length: 60 }, (__, at) =>
          importedMessage(`m${at}`, at === 0 ? null : `m${at - 1}`),
        ),
      }),
    )
    const storeAll = async () => {
      const outcomes: string[] = []
      for (const chat of chats) outcomes.push((await store(chat)).outcome)
      return outcomes
    }
    const [one, other] = await Promise.all([storeAll(), storeAll()])
    const both = one.map((outcome, index) => [outcome, other[index]].toSorted())
    expect(both.every((outcomes) => outcomes.filter((outcome) => outcome === 'new').length === 1)).toBe(true)
    const stored = await listChats()
    expect(stored).toHaveLength(30)
    for (const { id, chars } of stored) {
      const messages = await messagesOf(id)
      expect(messages).toHaveLength(60)
      expect(chars).toBe(messages.reduce((sum, { content }) => sum + content.length, 0))
    }
  })

  it('of many messages with one time is stored in reasonable time', { timeout: 300_000 }, async () => {
    // `npm run soak` has the full number. PGlite is many times slower than PostgreSQL.
    const count = faultRounds > 0 ? 100_000 : engine === 'sqlite' ? 10_000 : 1_000
    const messages = Array.from({ length: count }, (_, at) =>
      importedMessage(`m${at}`, at === 0 ? null : `m${Math.floor((at - 1) / 2)}`, {
        unix_timestamp: importTime - 500_000,
      }),
    )
    const start = performance.now()
    const { id } = await store(importedChat({ messages }))
    expect(performance.now() - start).toBeLessThan(120_000)
    expect(await readChat(id)).toMatchObject({ selected_message_id: `m${count - 1}` })
    expect(await store(importedChat({ messages }))).toMatchObject({ outcome: 'known' })
  })
})
