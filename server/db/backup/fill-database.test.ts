import type { Transaction } from 'kysely'
import { describe, expect, it } from 'vitest'
import { hashRows } from '../../testing/backup/backup-scene.ts'
import { engines, isConcurrent, openTestDatabase } from '../../testing/database/test-database.ts'
import { addUser } from '../../testing/factories/users.ts'
import type { Database } from '../database.ts'
import { migrations } from '../migrate.ts'
import { readSnapshot } from '../read-snapshot.ts'
import type { Tables } from '../tables/tables.ts'
import { readTables } from './copy-rows.ts'
import { fillDatabase } from './fill-database.ts'
import type { Chunk } from './rows.ts'

describe.each(engines.filter(isConcurrent))('a copy to %s', (engine) => {
  it('is refused when the database has stored other rows than it received', async () => {
    const source = await openTestDatabase('sqlite')
    await addUser(source.db, { id: 'ada', name: 'Ada' })
    const target = await openTestDatabase(engine)
    const before = await hashRows(target)
    const { database, transaction } = exposeTransaction(target)
    async function* spoil(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
      for await (const chunk of chunks) {
        yield chunk
        // The generator continues after the rows were inserted.
        if (chunk.table === 'users') await transaction().updateTable('users').set({ name: 'Eve' }).execute()
      }
    }
    const copy = readSnapshot(source, (snapshot) =>
      fillDatabase(database, {
        migrations: migrations.length,
        chunks: spoil(readTables(snapshot)),
        check: () => Promise.reject(new Error('The copy was not compared.')),
      }),
    )
    await expect(copy).rejects.toThrow('The database has not stored the rows as they were copied')
    expect(await hashRows(target)).toEqual(before)
    await source.close()
    await target.close()
  })
})

/** Returns the same database, and its transaction while one is open. */
function exposeTransaction(database: Database) {
  let current: Transaction<Tables> | undefined
  const dialect: Database['dialect'] = {
    ...database.dialect,
    lockMigrations: (trx) => {
      current = trx as Transaction<Tables>
      return database.dialect.lockMigrations(trx)
    },
  }
  return {
    database: { ...database, dialect },
    transaction: () => current ?? expect.unreachable('No transaction is open.'),
  }
}
