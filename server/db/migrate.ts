import { type Kysely, type Transaction, sql } from 'kysely'
import { AppError } from '../lib/app-error.ts'
import { errorCode } from '../lib/describe-error.ts'
import type { Database, Db, Dialect } from './database.ts'
import { createChats } from './migrations/0001-chats.ts'
import { createIdentity } from './migrations/0002-identity.ts'
import { createSearch } from './migrations/0003-search.ts'
import { createConnectors } from './migrations/0004-connectors.ts'
import { createShares } from './migrations/0005-shares.ts'
import { createToolMessages } from './migrations/0006-tool-messages.ts'
import { createIntegrations } from './migrations/0007-integrations.ts'
import { leanRuns } from './migrations/0008-lean-runs.ts'
import { eventsAsWritten } from './migrations/0009-events-as-written.ts'
import { createSignIns } from './migrations/0010-sign-ins.ts'
import { addCallErrors } from './migrations/0011-call-errors.ts'
import { addLeftOutTools } from './migrations/0012-left-out-tools.ts'
import { addChatSizes } from './migrations/0013-chat-sizes.ts'
import { createSearchTexts } from './migrations/0014-search-texts.ts'
import { rememberSelectedLeaves } from './migrations/0015-selected-leaves.ts'
import { addBotOptions } from './migrations/0016-bot-options.ts'
import { addBlockedTools } from './migrations/0017-blocked-tools.ts'
import { createCompactions } from './migrations/0018-compactions.ts'
import { createSentPrompts } from './migrations/0019-sent-prompts.ts'
import { createUsageRecords } from './migrations/0020-usage-records.ts'
import { addIds } from './migrations/0021-ids.ts'
import type { Tables } from './tables/tables.ts'

type Migration = (trx: Kysely<Tables>, dialect: Dialect) => Promise<void>

/** In order: the number of a migration is its position from 1. Never change a released migration; append another. */
export const migrations: readonly Migration[] = [
  createChats,
  createIdentity,
  createSearch,
  createConnectors,
  createShares,
  createToolMessages,
  createIntegrations,
  leanRuns,
  eventsAsWritten,
  createSignIns,
  addCallErrors,
  addLeftOutTools,
  addChatSizes,
  createSearchTexts,
  rememberSelectedLeaves,
  addBotOptions,
  addBlockedTools,
  createCompactions,
  createSentPrompts,
  createUsageRecords,
  addIds,
]

/**
 * Runs the missing migrations. Each is one transaction together with its row in `migrations`, so a process that is
 * killed leaves the state before or after a migration. Processes that start at the same time wait for each other.
 * Throws, with the data unchanged, when the database is from a newer version.
 *
 * Kysely's `Migrator` would not do: it uses one transaction for all migrations on PostgreSQL and none on SQLite, and it
 * does not read the `migrations` tables of existing installations.
 */
export async function migrate({ db, dialect }: Database): Promise<void> {
  while (await db.transaction().execute((trx) => runNextMigration(trx, dialect)));
}

/**
 * Runs the next missing migration up to number `last`. Returns false when none is missing.
 * @throws AppError when the database is from a newer version
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
  await sql`insert into migrations (number, applied_at) values (${applied + 1}, ${Date.now()})`.execute(trx)
  return true
}

/** The number of migrations that this database has; 0 for an empty one. */
export async function countAppliedMigrations({ db }: { readonly db: Db }): Promise<number> {
  try {
    const { rows } = await sql<{
      number: number | null
    }>`select max(number) as number from migrations`.execute(db)
    return rows[0]?.number ?? 0
  } catch (error) {
    if (missingTableCodes.has(errorCode(error))) return 0
    throw error
  }
}

/** The codes for a statement about a table that does not exist. SQLite has SQLITE_ERROR for most wrong statements. */
const missingTableCodes: ReadonlySet<string> = new Set(['SQLITE_ERROR', '42P01'])

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
