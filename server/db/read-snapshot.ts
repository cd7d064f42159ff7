import { sql } from 'kysely'
import type { Database, Db, Dialect } from './database.ts'
import type { FileBytes } from './files/file-bytes.ts'
import { findStorageProblem } from './storage-problem.ts'

export interface Snapshot {
  readonly db: Db
  readonly dialect: Dialect
  /** Those of a file that is deleted meanwhile may be missing. */
  readonly bytes: FileBytes
}

/** Attempts to read when the connection is lost meanwhile. */
const maxAttempts = 3

/**
 * Runs `read` with the data of one moment, so that what it reads in several statements fits together. Others can write
 * meanwhile. `read` may run again, and must not use another connection: SQLite has only this one.
 */
export async function readSnapshot<Result>(
  { db, dialect, bytes }: Pick<Database, 'db' | 'dialect' | 'bytes'>,
  read: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.connection().execute(async (connection) => {
        await sql.raw(dialect.beginSnapshotSql).execute(connection)
        try {
          return await read({ db: connection, dialect, bytes })
        } finally {
          await sql`rollback`.execute(connection)
        }
      })
    } catch (error) {
      if (attempt === maxAttempts || findStorageProblem(error) !== 'unreachable') throw error
    }
  }
}
