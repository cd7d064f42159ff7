import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Database } from '../../db/database.ts'
import { migrate } from '../../db/migrate.ts'
import { openDatabase, openStoredDatabase } from '../../db/open-database.ts'
import { isConcurrent, postgresUrl, type Engine } from '../database/test-database.ts'
import { unpackFixture } from './fixtures.ts'

/** A copy of a fixture's installation, for one test. */
export interface RestoredFixture {
  readonly dataDir: string
  /** Null with SQLite, and with PGlite, which no other process can open. */
  readonly databaseUrl: string | null
  /** Opens the database as it is. */
  open(): Promise<Database>
  /** Opens the database as a start does, which runs the missing migrations. */
  upgrade(): Promise<Database>
  remove(): Promise<void>
}

/** Restores the fixture of this number of migrations. `remove` deletes the copy. */
export async function restoreFixture(migrations: number, engine: Engine): Promise<RestoredFixture> {
  // A name that a user may choose.
  const dataDir = mkdtempSync(join(tmpdir(), 'yonder upgrade é-'))
  const dump = unpackFixture(migrations, engine, dataDir)
  const restored =
    dump === null
      ? useLocation(dataDir, null)
      : isConcurrent(engine)
        ? await restorePostgres(dump, dataDir)
        : await restorePglite(dump)
  return {
    dataDir,
    ...restored,
    async remove() {
      await restored.remove()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

type Restored = Omit<RestoredFixture, 'dataDir'>

function useLocation(dataDir: string, databaseUrl: string | null): Restored {
  return {
    databaseUrl,
    open: () => openStoredDatabase({ dataDir, databaseUrl }),
    upgrade: () => openDatabase({ dataDir, databaseUrl }),
    remove: () => Promise.resolve(),
  }
}

/** Restores the dump into a database of its own, because the dump names the schema `public`. */
async function restorePostgres(dump: string, dataDir: string): Promise<Restored> {
  const server = new URL(postgresUrl)
  // If this run is killed, a later one recognises the database by the form of this name, and drops it.
  const name = `${server.pathname.slice(1)}_${randomBytes(4).toString('hex')}`
  await query(server.href, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  await query(url.href, `set synchronous_commit = off; begin; ${dump}; commit`)
  await query(server.href, `alter database ${name} set synchronous_commit = off`)
  return {
    ...useLocation(dataDir, url.href),
    remove: () => query(server.href, `drop database ${name} with (force)`),
  }
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

async function restorePglite(dump: string): Promise<Restored> {
  const { openPglite } = await import('../database/open-pglite.ts')
  const database = await openPglite(dump)
  // It is in memory, so it stays open until the end of the test.
  const kept = { ...database, close: () => Promise.resolve() }
  return {
    databaseUrl: null,
    open: () => Promise.resolve(kept),
    async upgrade() {
      await migrate(database)
      return kept
    },
    remove: () => database.close(),
  }
}
