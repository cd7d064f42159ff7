import { expect, it } from 'vitest'
import type { Db } from '../db/database.ts'
import { collectBytes, oneBuffer } from '../db/files/file-bytes.ts'
import { engines, openTestDatabase } from '../testing/database/test-database.ts'
import { addUser } from '../testing/factories/users.ts'
import { openFileReader } from './reading/open-file-reader.ts'
import { storeFile } from './store-file.ts'

/** A database whose connection is lost when a transaction has been committed, before the server hears of it. */
function loseCommits(db: Db): Db {
  return new Proxy(db, {
    get(target, name) {
      if (name === 'transaction')
        return () => ({
          execute: async (work: (trx: Db) => Promise<unknown>) => {
            await target.transaction().execute(work)
            throw new Error('the connection is lost')
          },
        })
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

it.each(engines)(
  'keeps the bytes of a file that was stored although its upload failed, on %s',
  async (engine) => {
    const database = await openTestDatabase(engine)
    await addUser(database.db, { id: 'ada' })
    const store = (db: Db) =>
      storeFile(
        {
          database: { ...database, db },
          reader: openFileReader(),
          limits: { maxFile: 100, quota: 1_000 },
          now: Date.now,
        },
        { id: 'ada' },
        { name: 'sound', bytes: oneBuffer(Buffer.from('\x01\x02')), accepts: 'everything' },
      )
    await expect(store(loseCommits(database.db))).rejects.toThrow('the connection is lost')
    const { id } = await store(database.db)
    expect(await collectBytes(database.bytes.read(id))).toHaveLength(2)
    expect(await database.db.selectFrom('unused_bytes').selectAll().execute()).toEqual([])
    await database.close()
  },
)

// With more than one connection, the order of the statements is not certain.
it('stores a file anew whose same one is deleted at this moment', async () => {
  const database = await openTestDatabase('sqlite')
  await addUser(database.db, { id: 'ada' })
  const store = (now: () => number) =>
    storeFile(
      { database, reader: openFileReader(), limits: { maxFile: 100, quota: 1_000 }, now },
      { id: 'ada' },
      { name: 'sound', bytes: oneBuffer(Buffer.from('\x01\x02')), accepts: 'everything' },
    )
  const first = await store(Date.now)
  let looks = 0
  const second = await store(() => {
    // The first time is that of the upload, and the second one that of the file.
    looks += 1
    if (looks === 2) void database.db.deleteFrom('user_files').execute()
    return Date.now()
  })
  expect(second.id).not.toBe(first.id)
  expect(await database.db.selectFrom('user_files').select('id').execute()).toEqual([{ id: second.id }])
  expect(await collectBytes(database.bytes.read(second.id))).toHaveLength(2)
  await database.close()
})
