import { startedEvent } from '@yonder/contract/testing/messages'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { insertRun } from '../../completions/log/run-store.ts'
import { saveSentPrompt } from '../../completions/prompt/sent-prompt-store.ts'
import type { Db } from '../../db/database.ts'
import { collectBytes } from '../../db/files/file-bytes.ts'
import { keepUnsent, linkFiles } from '../../files/file-store.ts'
import { removeUnused } from '../../files/remove-unused.ts'
import { upsertShare } from '../../shares/share-store.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { addChat, addCompaction, addPath } from '../../testing/factories/chats.ts'
import { addFile } from '../../testing/factories/files.ts'
import { usageRecord } from '../../testing/factories/usage.ts'
import { addUser } from '../../testing/factories/users.ts'
import { storeUsageRecord } from '../../usage/usage-store.ts'
import { openChats } from '../open-chats.ts'
import { indexMessages } from '../search/index-messages.ts'
import { openSearch, type Search } from '../search/open-search.ts'
import { fillSearchTexts } from '../search/postgres-search-store.ts'
import { purgeSlice } from './purge-chats.ts'

const dayMs = 86_400_000

/** Counts the connections to this database of PostgreSQL that wait for a lock. */
async function countWaiting(db: Db): Promise<number> {
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    db,
  )
  return rows.length
}

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
    for (const number of [1, 2])
      await addFile(database, { userId: 'ada', chatId: id, messageId: 'q' }, { id: `${id}-${number}` })
    await addCompaction(db, { ...place, id: `summary of ${id}` })
    await saveSentPrompt(db, { chatId: id, messageId: 'q', prompt: '{}' })
    await upsertShare(db, { ...place, id: `link to ${id}`, user_id: 'ada', created_at: 1, files: 0 })
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
    await removeUnused({ database, now: Date.now })
    for (const number of [1, 2]) {
      expect(await collectBytes(database.bytes.read(`gone-${number}`))).toHaveLength(0)
      expect(await collectBytes(database.bytes.read(`kept-${number}`))).toHaveLength(3)
    }
    expect(slices).toBeGreaterThan(3)
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

  it.runIf(isConcurrent(engine))(
    'leaves the files with which another chat is just being continued',
    async () => {
      const { db } = database
      await addFullChat('gone')
      await addFullChat('other')
      await setDeleted('gone', 0)
      let purged: Promise<unknown> | undefined
      await db.transaction().execute(async (trx) => {
        await linkFiles(trx, 'other', 'q', ['gone-1'])
        purged = purgeSlice({ database, search })
        // On PostgreSQL, it has found the file before the message can be seen.
        if (engine === 'postgres') while ((await countWaiting(db)) === 0);
      })
      await purged
      while ((await purgeSlice({ database, search })) !== 'done');
      await removeUnused({ database, now: Date.now })
      const links = await db
        .selectFrom('message_files')
        .select(['chat_id', 'file_id'])
        .orderBy('file_id')
        .execute()
      expect(links.map((link) => Object.values(link).join(' '))).toEqual(
        ['gone-1', 'other-1', 'other-2'].map((id) => `other ${id}`),
      )
      expect(await collectBytes(database.bytes.read('gone-1'))).toHaveLength(3)
      expect(await collectBytes(database.bytes.read('gone-2'))).toHaveLength(0)
    },
  )

  it('leaves a file that was attached again and not sent yet', async () => {
    await addFullChat('gone')
    await keepUnsent(database.db, { id: 'ada' }, ['gone-1'], Date.now())
    await setDeleted('gone', 0)
    while ((await purgeSlice({ database, search })) !== 'done');
    const files = () => database.db.selectFrom('user_files').select('id').execute()
    expect(await files()).toEqual([{ id: 'gone-1' }])
    await removeUnused({ database, now: () => Date.now() + 31 * dayMs })
    expect(await files()).toEqual([])
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
