import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AppError } from '../lib/app-error.ts'
import { engines, isConcurrent, openTestDatabase } from '../testing/database/test-database.ts'
import { addUser } from '../testing/factories/users.ts'
import { openSqlite } from './dialects/sqlite.ts'
import { openDatabase, sqliteFileName } from './open-database.ts'

let folder: string
let dataDir: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yonder-open-'))
  dataDir = join(folder, 'deep', 'data')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const open = () => openDatabase({ databaseUrl: null, dataDir })

it('creates the data folder for its owner only, with a migrated database', async () => {
  const database = await open()
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  expect(await database.db.selectFrom('chats').selectAll().execute()).toEqual([])
  await database.close()
})

it('creates the files of the database for its owner only', async () => {
  const umask = process.umask(0)
  const database = await open().finally(() => process.umask(umask))
  await addUser(database.db, { name: 'Ada' })
  const files = readdirSync(dataDir)
  expect(files.sort()).toEqual([sqliteFileName, `${sqliteFileName}-shm`, `${sqliteFileName}-wal`])
  for (const file of files) expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600)
  await database.close()
})

it('keeps written data until the next start', async () => {
  const first = await open()
  await addUser(first.db, { name: 'Ada' })
  await first.close()
  const second = await open()
  expect(await second.db.selectFrom('users').select('name').execute()).toEqual([{ name: 'Ada' }])
  await second.close()
})

it('states that a file is not a database, without the place in the code', async () => {
  mkdirSync(dataDir, { recursive: true })
  const path = join(dataDir, sqliteFileName)
  writeFileSync(path, 'These are ordinary notes, and no database at all. '.repeat(50))
  await expect(open()).rejects.toThrow(
    new AppError(
      'unavailable',
      `The database ${path} cannot be opened: file is not a database. Stop the server, keep a copy of the data, and restore a backup.`,
    ),
  )
  await expect(open()).rejects.toBeInstanceOf(AppError)
})

it.runIf(engines.includes('postgres') && isConcurrent('postgres'))(
  'states why PostgreSQL cannot be used, without the place in the code',
  async () => {
    const { location, close } = await openTestDatabase('postgres')
    const url = new URL(location.databaseUrl ?? '')
    url.pathname = '/yonder_missing'
    const error: unknown = await openDatabase({ databaseUrl: url.href, dataDir }).catch((e: unknown) => e)
    await close()
    expect(error).toBeInstanceOf(AppError)
    expect(error).toHaveProperty(
      'message',
      'The PostgreSQL database cannot be opened: database "yonder_missing" does not exist. Create it, or correct DATABASE_URL.',
    )
  },
)

it('closes the file when the database cannot be opened', async () => {
  const newer = await open()
  await sql`insert into migrations (number, applied_at) values (99, 1)`.execute(newer.db)
  await newer.close()
  await expect(open()).rejects.toThrow()
  const file = openSqlite(join(dataDir, sqliteFileName))
  // Needs the file for itself: a connection left open would hold it.
  const { rows } = await sql`pragma locking_mode = exclusive`.execute(file.db)
  expect(rows).toHaveLength(1)
  await sql`create table mine (x integer)`.execute(file.db)
  await file.close()
})
