import { type Kysely, type Transaction, sql } from 'kysely'
import { AppError } from '../lib/app-error.ts'
import { errorCode } from '../lib/describe-error.ts'
import type { Database, Db, Dialect } from './database.ts'
import { createTables } from './migrations/0001-initial.ts'
import { addLastUse } from './migrations/0002-last-use.ts'
import { addCallSessions } from './migrations/0003-call-sessions.ts'
import { addConnectorHeaders } from './migrations/0004-connector-headers.ts'
import { foldAgain } from './migrations/0005-folded-again.ts'
import { markDefaultBots } from './migrations/0006-default-bots.ts'
import { addNodes } from './migrations/0007-nodes.ts'
import { putChatsInOrder } from './migrations/0008-chats-in-order.ts'
import { storeFilesOfUsers } from './migrations/0009-files.ts'
import { addTransfers } from './migrations/0010-transfers.ts'
import { addApprovals } from './migrations/0011-approvals.ts'
import type { Tables } from './tables/tables.ts'

type Migration = (trx: Kysely<Tables>, dialect: Dialect) => Promise<void>

/** In order: the number of a migration is its position from 1. Never change a released migration; append another. */
export const migrations: readonly Migration[] = [
  createTables,
  addLastUse,
  addCallSessions,
  addConnectorHeaders,
  foldAgain,
  markDefaultBots,
  addNodes,
  putChatsInOrder,
  storeFilesOfUsers,
  addTransfers,
  addApprovals,
]

/**
 * The table `migrations` counts on from here: versions before 0.1.0, whose data no later version reads, stored the
 * numbers from 1 to 21.
 */
export const lastFormerNumber = 21

/**
 * Runs the missing migrations. Each is one transaction together with its row in `migrations`, so a process that is
 * killed leaves the state before or after a migration. Processes that start at the same time wait for each other.
 * Throws, with the data unchanged, when the database is from a newer version or from before 0.1.0.
 *
 * Kysely's `Migrator` would not do: it uses one transaction for all migrations on PostgreSQL and none on SQLite.
 */
export async function migrate({ db, dialect }: Database): Promise<void> {
  while (await db.transaction().execute((trx) => runNextMigration(trx, dialect)));
}

/**
 * Runs the next missing migration up to number `last`. Returns false when none is missing.
 * @throws AppError when the database is from a newer version, or from before 0.1.0
 */
export async function runNextMigration(
  trx: Transaction<Tables>,
  dialect: Dialect,
  last = migrations.length,
): Promise<boolean> {
  await dialect.lockMigrations(trx)
  await sql`create table if not exists migrations (number integer primary key, applied_at bigint not null)`.execute(
    trx,
  )
  const applied = await countAppliedMigrations({ db: trx })
  if (applied > migrations.length) {
    throw new AppError(
      'conflict',
      `The database is from a newer version (migration ${applied}; this version has ${migrations.length}). Start that version, or restore a backup from this or an older version to an empty database.`,
    )
  }
  const next = migrations.slice(0, last)[applied]
  if (next === undefined) return false
  await next(trx, dialect)
  await sql`insert into migrations (number, applied_at) values (${lastFormerNumber + applied + 1}, ${Date.now()})`.execute(
    trx,
  )
  return true
}

/**
 * The number of migrations that this database has; 0 for an empty one.
 * @throws AppError when it is from before 0.1.0
 */
export async function countAppliedMigrations({ db }: { readonly db: Db }): Promise<number> {
  try {
    const { rows } = await sql<{
      number: number | null
    }>`select max(number) as number from migrations`.execute(db)
    return countFrom(rows[0]?.number ?? null)
  } catch (error) {
    if (isTableMissing(error)) return 0
    throw error
  }
}

/**
 * The number of migrations of a database whose table `migrations` has this highest number; null when it has no rows.
 * @throws AppError when the database is from before 0.1.0
 */
export function countFrom(number: number | null): number {
  if (number === null) return 0
  if (number > lastFormerNumber) return number - lastFormerNumber
  throw new AppError(
    'conflict',
    'The database is from a version before 0.1.0, which this version cannot read. It was not changed. Use an empty folder as DATA_DIR, with PostgreSQL also an empty database, or go on with the version that wrote it.',
  )
}

/** Whether a correct statement failed because its table does not exist. SQLite has this code for many other errors. */
export function isTableMissing(error: unknown): boolean {
  return ['SQLITE_ERROR', '42P01'].includes(errorCode(error))
}

/** Why a database with this number of migrations does not belong to this version. Null when it does. */
export function describeOtherVersion(applied: number): string | null {
  if (applied === migrations.length) return null
  if (applied === 0)
    return 'The database is empty. Check DATA_DIR and DATABASE_URL, or start the server once, which creates the tables.'
  return applied < migrations.length
    ? 'The database is from an older version of Yonder. Start the server of this version once, which upgrades it.'
    : 'The database is from a newer version of Yonder. Use that version, or restore a backup from this or an older version to an empty database.'
}

/**
 * For a command, which must not migrate a database under a running server.
 * @throws AppError when the database has other migrations than this version
 */
export async function requireMigrated(database: Pick<Database, 'db'>): Promise<void> {
  const problem = describeOtherVersion(await countAppliedMigrations(database))
  if (problem !== null) throw new AppError('conflict', problem)
}
