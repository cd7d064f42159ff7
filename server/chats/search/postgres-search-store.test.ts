import { foldText } from '@yonder/contract/lib/fold-text'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { foldSql } from '../../db/dialects/postgres-search.ts'
import { newId } from '../../lib/new-id.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { addChat, addPath } from '../../testing/factories/chats.ts'
import { addUser } from '../../testing/factories/users.ts'
import { findInPostgres } from './find-in-postgres.ts'
import { fillSearchTexts } from './postgres-search-store.ts'

describe.runIf(engines.includes('postgres'))('the texts for the search in PostgreSQL', () => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await openTestDatabase('postgres')
  })

  afterEach(() => database.close())

  async function count(table: string): Promise<number> {
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(
      database.db,
    )
    return Number(rows[0]?.rows)
  }

  it('are stored in steps, and the search finds the queued messages meanwhile', async () => {
    const { db } = database
    const user = await addUser(db)
    const other = await addUser(db)
    const ids: string[] = []
    for (let index = 0; index < 60; index++) {
      const owner = index % 10 === 9 ? other : user
      const chat = await addChat(db, { id: newId(), user_id: owner.id, updated_at: index })
      await addPath(db, chat, [
        { role: 'user', content: 'A Lighthouse' },
        { role: 'assistant', content: index % 2 === 0 ? 'with a KEEPER' : 'alone' },
        { role: 'user', content: 'a keeper and a lighthouse', server: 'sea' },
        { role: 'assistant', content: 'keeper', ...(index === 5 ? { status: 'streaming' } : {}) },
      ])
      if (owner === user) ids.unshift(chat.id)
    }
    const find = async (...words: string[]) => {
      const request = { userId: user.id, words, offset: 0, limit: 100 }
      const { ids: found, total } = await db.transaction().execute((trx) => findInPostgres(trx, request))
      return { ids: found, total }
    }
    const expected = [await find('lighthouse'), await find('keeper', 'lighthouse'), await find('with')]
    expect(expected.map(({ total }) => total)).toEqual([54, 53, 30])
    expect(expected[0]?.ids).toEqual(ids)

    for (let more = true, steps = 0; more; steps++) {
      expect([await find('lighthouse'), await find('keeper', 'lighthouse'), await find('with')]).toEqual(
        expected,
      )
      more = await fillSearchTexts(db)
      expect(steps).toBeLessThan(10)
    }
    expect([await find('lighthouse'), await find('keeper', 'lighthouse'), await find('with')]).toEqual(
      expected,
    )
    expect(await count('search_queue')).toBe(0)
    expect(await fillSearchTexts(db)).toBe(false)
  })

  it('are folded as the words of a search are, character by character', async () => {
    // Without letters that were added to Unicode lately, which the two may not both know.
    const ranges = [
      [0x1, 0x1c87],
      [0x1c90, 0xa7c9],
      [0xa7f2, 0xd7ff],
      [0xe000, 0x10cff],
      [0x1d100, 0x1d7ff],
      [0x1e900, 0x1f2ff],
      [0x2f800, 0x2fa1d],
      [0xe0000, 0xe0fff],
    ] as const
    const numbers = ranges.flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, index) => from + index),
    )
    const { rows } = await sql<{ number: number; folded: string }>`
      select number, ${sql.raw(foldSql('chr(number)'))} as folded from unnest(${numbers}::int[]) number`.execute(
      database.db,
    )
    expect(rows).toHaveLength(numbers.length)
    for (const { number, folded } of rows) {
      const expected = foldText(String.fromCodePoint(number))
      if (folded !== expected) expect(folded, number.toString(16)).toBe(expected)
    }
  })

  it('are stored when a reply has ended, and deleted with their chats', async () => {
    const { db } = database
    const user = await addUser(db)
    const chat = await addChat(db, { id: newId(), user_id: user.id })
    await addPath(db, chat, [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', status: 'streaming' },
    ])
    await fillSearchTexts(db)
    expect(await count('search_texts')).toBe(1)
    await db
      .updateTable('messages')
      .set({ content: 'walrus', status: 'complete' })
      .where('status', '=', 'streaming')
      .execute()
    await fillSearchTexts(db)
    expect(await count('search_texts')).toBe(2)
    await addPath(db, await addChat(db, { id: newId(), user_id: user.id }), [{ role: 'user', content: 'hi' }])
    await db.deleteFrom('chats').where('user_id', '=', user.id).execute()
    expect(await count('search_texts')).toBe(0)
    await fillSearchTexts(db)
    expect([await count('search_texts'), await count('search_queue')]).toEqual([0, 0])
  })

  it.runIf(isConcurrent('postgres'))(
    'are stored without waiting for a message that is being deleted',
    async () => {
      const { db } = database
      const user = await addUser(db)
      const [deleted, kept] = [
        await addChat(db, { id: newId(), user_id: user.id }),
        await addChat(db, { id: newId(), user_id: user.id }),
      ]
      for (const chat of [deleted, kept]) await addPath(db, chat, [{ role: 'user', content: 'walrus' }])
      const storedFor = async () => {
        const { rows } = await sql<{
          chat_id: string
        }>`select chat_id from search_texts order by position`.execute(db)
        return rows.map(({ chat_id }) => chat_id)
      }
      const whileDeleting = async (work: () => Promise<void>, end: 'commit' | 'rollback') => {
        const failed = new Error('rolled back')
        const deletion = db.transaction().execute(async (trx) => {
          await trx.deleteFrom('chats').where('id', '=', deleted.id).execute()
          await work()
          if (end === 'rollback') throw failed
        })
        if (end === 'commit') await deletion
        else await expect(deletion).rejects.toBe(failed)
      }
      await whileDeleting(async () => {
        await fillSearchTexts(db)
        expect(await storedFor()).toEqual([kept.id])
      }, 'rollback')
      await fillSearchTexts(db)
      expect(await storedFor()).toEqual([deleted.id, kept.id])

      await sql`delete from search_texts`.execute(db)
      await sql`insert into search_queue (position) select position from messages`.execute(db)
      await whileDeleting(async () => {
        await fillSearchTexts(db)
      }, 'commit')
      await fillSearchTexts(db)
      expect([await storedFor(), await count('search_queue')]).toEqual([[kept.id], 0])
    },
  )
})
