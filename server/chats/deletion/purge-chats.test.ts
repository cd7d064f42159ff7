import { startedEvent } from '@yonder/contract/testing/messages'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { insertRun } from '../../completions/log/run-store.ts'
import { saveSentPrompt } from '../../completions/prompt/sent-prompt-store.ts'
import { upsertShare } from '../../shares/share-store.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { addChat, addCompaction, addPath } from '../../testing/factories/chats.ts'
import { usageRecord } from '../../testing/factories/usage.ts'
import { addUser } from '../../testing/factories/users.ts'
import { storeUsageRecord } from '../../usage/usage-store.ts'
import { insertFiles } from '../file-store.ts'
import { openChats } from '../open-chats.ts'
import { indexMessages } from '../search/index-messages.ts'
import { openSearch, type Search } from '../search/open-search.ts'
import { fillSearchTexts } from '../search/postgres-search-store.ts'
import { purgeSlice } from './purge-chats.ts'

const dayMs = 86_400_000

describe.each(engines)('a chat that is deleted for good, on %s', (engine) => {
  let database: TestDatabase
  let search: Search
  beforeEach(async () => {
    database = await openTestDatabase(engine)
    search = openSearch(database, (error) => {
      throw error
    })
    await addUser(database.db, { id: 'ada' })
  })
  afterEach(async () => {
    vi.useRealTimers()
    await search.close()
    await database.close()
  })

  const index = async () => {
    while (await (engine === 'sqlite' ? indexMessages(database.db) : fillSearchTexts(database.db)));
  }
  const find = async (words: string) =>
    (await search.searchChats(await addedUser(), { search: words, page: 1, limit: 10 })).chats.map(
      ({ id }) => id,
    )
  const addedUser = () =>
    database.db.selectFrom('users').selectAll().where('id', '=', 'ada').executeTakeFirstOrThrow()
  const setDeleted = (id: string, deleted_at: number) =>
    database.db.updateTable('chats').set({ deleted_at }).where('id', '=', id).execute()

  /** A chat with data of every kind, whose run is over unless `status` says otherwise. */
  async function addFullChat(id: string, status = 'complete'): Promise<void> {
    const { db, dialect } = database
    const chat = await addChat(db, { id, user_id: 'ada' })
    const [question] = await addPath(db, chat, [
      { id: 'q', content: `anchor ${'of a long text, '.repeat(1_500)}` },
      { id: 'a', role: 'assistant', content: 'anchor' },
      { id: 'r', content: 'a result', server: 'tools' },
    ])
    const place = { chat_id: id, message_id: question?.id ?? '' }
    const file = { name: 'cat.png', type: 'image/png', size: 3, data: 'AAAA' }
    await insertFiles(
      db,
      id,
      'q',
      [1, 2].map((number) => ({ ...file, id: `${id}-${number}` })),
    )
    await addCompaction(db, { ...place, id: `summary of ${id}` })
    await saveSentPrompt(db, { chatId: id, messageId: 'q', prompt: '{}' })
    await upsertShare(db, { ...place, id: `link to ${id}`, user_id: 'ada', created_at: 1 })
    const run = { ...place, user_id: 'ada', node_id: 'here', started_at: 1 }
    const runId = await insertRun(db, dialect, run, JSON.stringify(startedEvent()))
    await db.updateTable('runs').set({ status, ended_at: 2 }).where('id', '=', runId).execute()
  }

  /** The grams of the index of SQLite, and how many texts have each. */
  async function readIndex(): Promise<unknown> {
    if (engine !== 'sqlite') return (await sql`select position from search_texts`.execute(database.db)).rows
    await sql`create virtual table if not exists temp.grams using fts5vocab(main, message_search, row)`.execute(
      database.db,
    )
    return (await sql`select term, doc from temp.grams order by term`.execute(database.db)).rows
  }

  it('goes with all that is in it but its usage, in slices that may be killed, and nothing else goes', async () => {
    await addFullChat('kept')
    await index()
    await storeUsageRecord(database.db, usageRecord({ id: 'u', user_id: 'ada', chat_id: 'gone' }))
    const before = await hashTables(database)
    const indexBefore = await readIndex()
    await addFullChat('gone')
    await index()
    await setDeleted('gone', 0)
    let slices = 0
    for (let isKilled = true; slices < 100; isKilled = !isKilled) {
      const deps = {
        database,
        search: {
          async deleteMessages(...[trx, chatId, isOver]: Parameters<Search['deleteMessages']>) {
            const isDeleted = await search.deleteMessages(trx, chatId, isOver)
            if (isKilled && isDeleted) throw new Error('killed')
            return isDeleted
          },
        },
      }
      // The shortest slices: each does one step.
      const outcome = await purgeSlice(deps, { sliceMs: 0 }).catch(({ message }: Error) => message)
      await index()
      if (outcome === 'done') break
      slices += 1
      expect(['more', 'killed']).toContain(outcome)
    }
    expect(slices).toBeGreaterThan(5)
    expect(slices).toBeLessThan(100)
    expect(await hashTables(database)).toEqual(before)
    expect(await readIndex()).toEqual(indexBefore)
    expect(await find('anchor')).toEqual(['kept'])
  })

  it('waits until its reply has ended, and for another node that deletes chats', async () => {
    await addFullChat('running', 'running')
    await setDeleted('running', 0)
    const before = await hashTables(database)
    expect(await purgeSlice({ database, search })).toBe('done')
    expect(await hashTables(database)).toEqual(before)
    await database.db.updateTable('runs').set({ status: 'stopped' }).execute()
    if (engine === 'postgres' && isConcurrent(engine))
      await database.db.transaction().execute(async (trx) => {
        expect(await database.dialect.lockPurge(trx)).toBe(true)
        expect(await purgeSlice({ database, search })).toBe('busy')
      })
    while ((await purgeSlice({ database, search })) !== 'done');
    expect(await database.db.selectFrom('chats').select('id').execute()).toEqual([])
  })

  it('is one that was deleted more than 30 days ago', async () => {
    const time = 100 * dayMs
    for (const [id, deletedAt] of [
      ['old', time - 30 * dayMs - 1],
      ['recent', time - 30 * dayMs + 1],
    ] as const) {
      await addFullChat(id)
      await setDeleted(id, deletedAt)
    }
    await addFullChat('kept')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const chats = openChats(
      { config: { selfService: false }, database, now: () => time },
      {
        runReader: { read: () => Promise.resolve(undefined), expire: () => Promise.resolve() },
        onChatChanged: () => undefined,
        onChatsChanged: () => undefined,
        onDeleted: () => undefined,
        onError: (error) => expect.unreachable(String(error)),
      },
    )
    vi.advanceTimersByTime(10_000)
    // Waits for the slice that has begun.
    const closed = chats.close()
    vi.useRealTimers()
    await closed
    while ((await purgeSlice({ database, search })) !== 'done');
    const ids = await database.db.selectFrom('chats').select('id').orderBy('id').execute()
    expect(ids).toEqual([{ id: 'kept' }, { id: 'recent' }])
  })
})
