import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SqliteFile } from '../../db/dialects/sqlite-file.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import { addChat, addPath } from '../../testing/factories/chats.ts'
import { addUser } from '../../testing/factories/users.ts'
import { findInSqlite } from './find-in-sqlite.ts'
import { createSearchReader } from './sqlite-search-store.ts'

describe('messages that wait for the index of SQLite', () => {
  let database: TestDatabase
  let file: InstanceType<typeof SqliteFile>
  beforeAll(async () => {
    database = await openTestDatabase('sqlite')
    file = new SqliteFile(database.file ?? '', { readonly: true })
  })
  afterAll(async () => {
    file.close()
    await database.close()
  })

  const find = (userId: string, word: string) =>
    findInSqlite(createSearchReader(file), { userId, words: [word], offset: 0, limit: 10 })

  it('are found although hundreds of newer messages of other users wait too', async () => {
    const { db } = database
    const [ada, grace] = [await addUser(db), await addUser(db)]
    const messages = (count: number, content: string) => Array.from({ length: count }, () => ({ content }))
    const add = async (id: string, userId: string, time: number, count: number, content: string) =>
      addPath(db, await addChat(db, { id, user_id: userId, updated_at: time }), messages(count, content))
    await add('older', ada.id, 1_000, 1, 'harbour')
    // Too long to be read without the index.
    await add('newer', ada.id, 2_000, 300, 'text')
    await add('other', grace.id, 3_000, 600, 'harbour')
    expect(find(ada.id, 'harbour').ids).toEqual(['older'])
  })
})
