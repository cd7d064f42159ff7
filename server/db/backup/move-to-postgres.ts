import type { Database } from '../database.ts'
import { lockDataFolder } from '../lock-data-folder.ts'
import { countAppliedMigrations } from '../migrate.ts'
import { openStoredDatabase } from '../open-database.ts'
import { readSnapshot } from '../read-snapshot.ts'
import { readTables } from './copy-rows.ts'
import { openReadable } from './create-backup.ts'
import { fillDatabase, hasData } from './fill-database.ts'
import { refusal } from './refuse.ts'
import { withProgress, type Content, type ReportRows } from './rows.ts'

/**
 * Copies the SQLite database of a data folder to an empty PostgreSQL database, in one transaction, and compares the
 * hashes of both. The SQLite database stays as it is.
 * @throws AppError when a server uses one of the databases, when the target has data, or when the hashes differ. Then
 *   the target is unchanged.
 */
export async function moveToPostgres(dataDir: string, url: string, onRows: ReportRows): Promise<Content> {
  const source = await openReadable({ databaseUrl: null, dataDir })
  try {
    const lock = await lockDataFolder(dataDir)
    try {
      const target = await openStoredDatabase({ databaseUrl: url, dataDir })
      try {
        return await copyDatabase(source, target, onRows)
      } finally {
        await target.close()
      }
    } finally {
      lock.release()
    }
  } finally {
    await source.close()
  }
}

async function copyDatabase(source: Database, target: Database, onRows: ReportRows): Promise<Content> {
  if (await hasData(target)) {
    throw refusal('The PostgreSQL database already has data of Yonder. Use an empty database.')
  }
  return readSnapshot(source, async (snapshot) =>
    fillDatabase(target, {
      migrations: await countAppliedMigrations(snapshot),
      chunks: withProgress(readTables(snapshot), onRows),
      check: () => Promise.resolve(),
    }),
  )
}
