import { sql, type Transaction } from 'kysely'
import type { Database, Db, Dialect } from '../database.ts'
import { countAppliedMigrations, runNextMigration } from '../migrate.ts'
import type { Tables } from '../tables/tables.ts'
import { hashContent, writeTables } from './copy-rows.ts'
import { refusal, refuseNewer } from './refuse.ts'
import { ContentWriter, type Chunk, type Content } from './rows.ts'
import { copiedTables, otherTables, listColumns } from './tables.ts'

export interface FillOptions {
  /** The number of migrations of the database that the rows are from. Later ones run after the rows are inserted. */
  readonly migrations: number
  readonly chunks: AsyncIterable<Chunk>
  /** Called as the last step of the transaction. When it throws, nothing is changed. */
  readonly check: (trx: Transaction<Tables>) => Promise<void>
}

/**
 * Replaces the tables of Yonder in a PostgreSQL database, or fills an empty SQLite file, in one transaction. The tables
 * are created as in the version of the rows. All inserted rows are read again, and their hash is compared with that of
 * the chunks. Then the tables are migrated to this version.
 * @throws AppError when a server uses the database, or when the rows do not fit. Then nothing was changed.
 */
export function fillDatabase({ db, dialect, bytes }: Database, options: FillOptions): Promise<Content> {
  return db.transaction().execute(async (trx) => {
    await refuseRunningServer(trx, dialect)
    // A server that starts now waits for this transaction.
    await dialect.lockMigrations(trx)
    await removeTables(trx, dialect)
    while (await runNextMigration(trx, dialect, options.migrations));
    // The copied rows have the identity of their own installation.
    await trx.deleteFrom('installation').execute()
    const writer = new ContentWriter()
    await writeTables(trx, dialect, hashChunks(options.chunks, writer))
    const content = await hashContent({ db: trx, dialect, bytes })
    if (content.sha256 !== writer.finish().sha256) {
      throw refusal(
        'The database has not stored the rows as they were copied, so the copy was undone. Check the disk of the database, then try again.',
      )
    }
    while (await runNextMigration(trx, dialect));
    await options.check(trx)
    return content
  })
}

async function* hashChunks(chunks: AsyncIterable<Chunk>, writer: ContentWriter): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) {
    writer.add(chunk)
    yield chunk
  }
}

/**
 * Keeps servers from starting until the transaction ends.
 * @throws AppError when one uses the database
 */
export async function refuseRunningServer(trx: Transaction<Tables>, dialect: Dialect): Promise<void> {
  if (await dialect.lockOutServers(trx)) return
  throw refusal(
    'A server uses the database, or was killed less than 30 seconds ago. Stop all servers first. Nothing was changed.',
  )
}

/**
 * Removes the tables and functions that the migrations of PostgreSQL have created, and no other objects of the schema.
 */
async function removeTables(trx: Db, dialect: Dialect): Promise<void> {
  if (dialect.kind === 'sqlite') return
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(trx)
  const schema = rows[0]?.schema ?? 'public'
  const tables = [...copiedTables, ...otherTables, 'search_texts', 'migrations']
  const named = (name: string) => sql.id(schema, name)
  await sql`drop table if exists ${sql.join(tables.map(named))}`.execute(trx)
  await sql`drop function if exists ${named('search_grams')} (text, text), ${named('queue_search_text')} ()`.execute(
    trx,
  )
}

/**
 * Returns whether a database has data of Yonder.
 * @throws AppError when it must not be replaced: a server uses it, or it has tables of a newer version or of another
 *   program
 */
export async function hasData({ db, dialect }: Database): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await refuseRunningServer(trx, dialect)
    const tables = await listColumns({ db: trx, dialect })
    const existing = copiedTables.filter((table) => tables.has(table))
    const migrationColumns = tables.get('migrations')?.map(({ name }) => name)
    if (existing.length === 0 && migrationColumns === undefined) return false
    // Other programs also have tables with names such as `users` and `migrations`.
    if (migrationColumns?.join() !== 'applied_at,number') {
      throw refusal('The database has tables of another program. Use an empty database.')
    }
    refuseNewer(await countAppliedMigrations({ db: trx }))
    for (const table of existing) {
      // An empty database has an identity too.
      if (table === 'installation') continue
      const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(trx)
      if (rows.length > 0) return true
    }
    return false
  })
}
