import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '../dialects/sqlite.ts'
import { lockDataFolder } from '../lock-data-folder.ts'
import type { Database } from '../database.ts'
import { migrations, runNextMigration } from '../migrate.ts'
import { openDatabase, sqliteFileName } from '../open-database.ts'
import { installationKeyContext } from '../secrets/seal-contexts.ts'
import { createSealer } from '../secrets/seal-secret.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { listTables } from '../../testing/database/list-tables.ts'
import { fillTables } from '../../testing/database/fill-tables.ts'
import { addUser } from '../../testing/factories/users.ts'
import { engines, isConcurrent, openTestDatabase } from '../../testing/database/test-database.ts'
import type { Engine, TestDatabase } from '../../testing/database/test-database.ts'
import { readChunks } from './backup-file.ts'
import { AppError } from '../../lib/app-error.ts'
import { createBackup } from './create-backup.ts'
import type { InstallationOptions } from './create-backup.ts'
import { hashContent, readSnapshot } from './copy-rows.ts'
import { moveToPostgres } from './move-to-postgres.ts'
import { restoreBackup } from './restore-backup.ts'
import type { RestoreOptions } from './restore-backup.ts'
import { copiedTables } from './tables.ts'

const secretKey = 'a secret of tests that is long enough'
const otherKey = 'another secret of tests, long enough'
const restoring: RestoreOptions = {
  lostKey: false,
  confirm: () => Promise.resolve(),
  onVerifiedRows: () => undefined,
  onRestoredRows: () => undefined,
}
const neverAsked = {
  ...restoring,
  confirm: () => Promise.reject(new Error('The restore asked.')),
}
const creating = {
  version: '1.2.3',
  withKey: false,
  onRows: () => undefined,
  signal: new AbortController().signal,
}

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yonder backup ä😀-'))
  file = join(folder, 'Sicherung vom Döner.backup')
})

afterEach(() => rmSync(folder, { recursive: true }))

const installationIn = (database: TestDatabase, key: string | null = secretKey): InstallationOptions => ({
  ...database.location,
  secretKey: key,
})

/** The hashes of all tables but that of the migrations, which has the times at which they ran. */
async function hashRows(database: Parameters<typeof hashTables>[0]) {
  const { migrations: _, ...hashes } = await hashTables(database)
  return hashes
}

/** Hashes the tables of an installation that no other code has open. */
async function hashInstallation(installation: InstallationOptions) {
  const database = await openDatabase(installation)
  const hashes = await hashRows(database)
  await database.close()
  return hashes
}

async function addSignInKey({ db }: TestDatabase, key = secretKey): Promise<void> {
  const value = createSealer(key).seal('secret', installationKeyContext('cookie'))
  await db.insertInto('keys').values({ name: 'cookie', value, created_at: 1 }).execute()
}

const opened: TestDatabase[] = []

afterEach(async () => {
  for (const database of opened.splice(0)) {
    // A restore has replaced it.
    if (database.dialect.kind === 'postgres') await database.close()
    else rmSync(database.location.dataDir, { recursive: true, force: true })
  }
})

/** An empty database that this process does not have open. */
async function openTarget(engine: Engine): Promise<InstallationOptions> {
  const database = await openTestDatabase(engine)
  if (engine === 'sqlite') await database.close()
  opened.push(database)
  return installationIn(database)
}

/** Stores data that a refused restore must not change. */
async function addToInstallation(installation: InstallationOptions): Promise<void> {
  const database = await openDatabase(installation)
  await addUser(database.db, { id: 'present' })
  await database.close()
}

/** Holds the lock that a server holds. */
async function startServerOn(target: InstallationOptions): Promise<{ close(): Promise<void> }> {
  if (target.databaseUrl === null) {
    const lock = await lockDataFolder(target.dataDir)
    return { close: async () => lock.release() }
  }
  const database = await openDatabase(target)
  const subscription = database.subscribe({
    onRuns: () => undefined,
    onChange: () => undefined,
    onGap: () => undefined,
  })
  await expect
    .poll(() => database.db.transaction().execute((trx) => database.dialect.lockOutServers(trx)), {
      timeout: 15_000,
    })
    .toBe(false)
  return {
    close: async () => {
      await subscription.close()
      await database.close()
    },
  }
}

/** A SQLite database in `folder` after that many migrations. */
async function openOld(count: number): Promise<Database> {
  const database = openSqlite(join(folder, sqliteFileName))
  while (await database.db.transaction().execute((trx) => runNextMigration(trx, database.dialect, count)));
  return database
}

async function addRow({ db }: Database, table: string, row: Record<string, string | number>): Promise<void> {
  const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)))
  await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(db)
}

/** A compressed file with this header and other lines. */
function withHeader(fields: Readonly<Record<string, unknown>>, ...lines: readonly string[]): Buffer {
  const header = {
    format: 1,
    version: '9.9.9',
    migrations: migrations.length,
    database: 'sqlite',
    createdAt: new Date(0).toISOString(),
    ...fields,
  }
  const end = { end: { rows: {}, sha256: 'no hash' } }
  return gzipSync(`${[JSON.stringify({ yonderBackup: header }), ...lines, JSON.stringify(end)].join('\n')}\n`)
}

async function readAll(path: string): Promise<unknown> {
  const chunks = readChunks(path)
  for (;;) {
    const { done, value } = await chunks.next()
    if (done === true) return value
  }
}

const newRun = {
  user_id: 'ada',
  message_id: 'm',
  status: 'complete',
  node_id: 'n',
  lease_until: 1,
  last_seq: 0,
  stop_requested: 0,
  started_at: 1,
}

describe.each(engines.filter(isConcurrent))('a backup of %s', (engine) => {
  let source: TestDatabase

  beforeEach(async () => {
    source = await openTestDatabase(engine)
  })

  afterEach(() => source.close())

  it('contains every table except the search index and the list of migrations (§31.1)', async () => {
    const derived = /search|^sqlite_|^migrations$/
    const tables = (await listTables(source)).filter((name) => !derived.test(name))
    expect(tables.toSorted()).toEqual(copiedTables.toSorted())
  })

  it.each(engines.filter(isConcurrent))(
    'is restored to %s with the same rows and hash, and messages are queued for the search (§31.1, §31.4, §31.5)',
    async (targetEngine) => {
      await fillTables(source)
      const created = await createBackup(installationIn(source), file, creating)
      expect(created.rows).toEqual(Object.fromEntries(copiedTables.map((table) => [table, 3])))
      expect(created.bytes).toBe(statSync(file).size)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(readdirSync(folder)).toEqual(['Sicherung vom Döner.backup'])

      const target = await openTarget(targetEngine)
      const restored = await restoreBackup(target, file, restoring)
      expect(restored).toEqual({ rows: created.rows, sha256: created.sha256 })
      const database = await openDatabase(target)
      expect(await hashRows(database)).toEqual(await hashRows(source))
      const queued = await database.db.selectFrom('search_queue').select('position').execute()
      // The others are results of a tool, which SQLite does not queue.
      expect(queued).toContainEqual({ position: 2 })
      // New rows get numbers of their own.
      const { id: runId } = await database.db
        .insertInto('runs')
        .values({ ...newRun, chat_id: 'b chat_id' })
        .returning('id')
        .executeTakeFirstOrThrow()
      expect(runId).toBe(4)
      await database.close()
    },
    60_000,
  )

  it('that the operator interrupts leaves no file (§31.3)', async () => {
    await fillTables(source)
    writeFileSync(file, 'the former backup')
    const interrupted = new AbortController()
    const create = createBackup(installationIn(source), file, {
      ...creating,
      onRows: () => interrupted.abort(new Error('interrupted')),
      signal: interrupted.signal,
    })
    await expect(create).rejects.toThrow('interrupted')
    expect(readdirSync(folder)).toEqual(['Sicherung vom Döner.backup'])
    expect(readFileSync(file, 'utf8')).toBe('the former backup')
  })

  it('of a running server has the data of one moment (§31.2)', async () => {
    await addUser(source.db, { id: 'before' })
    const hash = await readSnapshot(source, async (snapshot) => {
      const before = await hashContent(snapshot)
      const second = await openDatabase(source.location)
      await addUser(second.db, { id: 'after' })
      await second.close()
      expect(await hashContent(snapshot)).toEqual(before)
      return before.sha256
    })
    expect((await readSnapshot(source, hashContent)).sha256).not.toBe(hash)
  })

  it('that was cut or changed anywhere is refused, and nothing is restored (§31.6)', async () => {
    await fillTables(source)
    const { sha256 } = await createBackup(installationIn(source), file, creating)
    const whole = readFileSync(file)
    const target = await openTarget(engine)
    await addToInstallation(target)
    const before = await hashInstallation(target)
    const stepOf = (count: number) => Math.ceil(whole.length / count)
    for (let bytes = 0; bytes < whole.length; bytes += stepOf(40)) {
      writeFileSync(file, whole.subarray(0, bytes))
      await expect(readAll(file)).rejects.toThrow(AppError)
    }
    for (const bytes of [0, 100, whole.length - 1]) {
      writeFileSync(file, whole.subarray(0, bytes))
      await expect(restoreBackup(target, file, neverAsked)).rejects.toThrow(AppError)
    }
    for (let at = 0; at < whole.length; at += stepOf(60)) {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 4
      writeFileSync(file, changed)
      // A few bytes of the header of gzip, such as its time, mean nothing.
      const content = await readAll(file).catch((error: unknown) => error)
      if (at < 10 && !(content instanceof Error)) expect(content).toHaveProperty('sha256', sha256)
      else expect(content).toBeInstanceOf(AppError)
    }
    expect(await hashInstallation(target)).toEqual(before)
  }, 120_000)

  it.each([
    ['a file that is not compressed', 'text', /is not a backup of Yonder/],
    ['an empty file', '', /is not a backup of Yonder/],
    ['another compressed file', gzipSync('{"a":1}\n'), /is not a backup of Yonder/],
    ['a backup of a newer format', withHeader({ format: 2 }), /newer version of Yonder\. Restore it with/],
    [
      'a backup of a newer version',
      withHeader({ migrations: migrations.length + 1 }),
      /newer version of Yonder \(9\.9\.9\)/,
    ],
    ['a backup with the hash of other rows', withHeader({}), /is damaged: it was changed/],
    [
      'a backup with a table that is none of a backup',
      withHeader({}, '{"table":"migrations","columns":["applied_at","number"]}'),
      /damaged/,
    ],
  ])('that is %s is refused, and nothing is restored (§31.6, §31.7)', async (_, content, message) => {
    writeFileSync(file, content)
    const target = await openTarget(engine)
    await addToInstallation(target)
    const before = await hashInstallation(target)
    await expect(restoreBackup(target, file, neverAsked)).rejects.toThrow(message)
    expect(await hashInstallation(target)).toEqual(before)
  })

  it('is refused with another key, and restored with its own (§31.8)', async () => {
    await addSignInKey(source)
    const created = await createBackup(installationIn(source), file, creating)
    expect(created.keyFits).toBe(true)
    expect(gunzipSync(readFileSync(file)).toString()).not.toContain(secretKey)
    const second = await createBackup(installationIn(source, otherKey), join(folder, 'second'), creating)
    expect(second.keyFits).toBe(false)
    const target = await openTarget(engine)
    await addToInstallation(target)
    const before = await hashInstallation(target)
    for (const [key, message] of [
      [otherKey, /were sealed with another key/],
      [null, /There is no key for the secrets/],
    ] as const) {
      const restore = restoreBackup({ ...target, secretKey: key }, file, restoring)
      await expect(restore).rejects.toThrow(message)
      expect(await hashInstallation(target)).toEqual(before)
    }
    await restoreBackup({ ...target, secretKey: otherKey }, file, { ...restoring, lostKey: true })
    expect((await hashInstallation(target))['keys']).toBe(before['keys'])
    await restoreBackup(target, file, restoring)
    expect(await hashInstallation(target)).toEqual(await hashRows(source))
  }, 60_000)

  it('contains the key when the operator asks for it, and a restore writes it where no other is (§31.9)', async () => {
    await addSignInKey(source)
    const withKey = { ...creating, withKey: true }
    await expect(createBackup(installationIn(source, otherKey), file, withKey)).rejects.toThrow(
      /does not decrypt the stored secrets/,
    )
    expect(readdirSync(folder)).toEqual([])
    await createBackup(installationIn(source), file, withKey)
    const target = { ...(await openTarget(engine)), dataDir: join(folder, 'neu ß'), secretKey: null }
    await restoreBackup(target, file, neverAsked)
    const keyFile = join(target.dataDir, 'secret.key')
    expect(readFileSync(keyFile, 'utf8')).toBe(secretKey)
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
    writeFileSync(keyFile, otherKey)
    await expect(restoreBackup(target, file, restoring)).rejects.toThrow(
      /To use the key in the backup, remove SECRET_KEY/,
    )
    expect(readFileSync(keyFile, 'utf8')).toBe(otherKey)
  }, 60_000)

  it('asks before it replaces data, and changes nothing when the operator declines (§31.6)', async () => {
    await createBackup(installationIn(source), file, creating)
    const target = await openTarget(engine)
    await restoreBackup(target, file, restoring)
    await addToInstallation(target)
    const before = await hashInstallation(target)
    await expect(restoreBackup(target, file, neverAsked)).rejects.toThrow('The restore asked.')
    expect(await hashInstallation(target)).toEqual(before)
  })

  it('is not restored while a server uses the database (§31.11)', async () => {
    await createBackup(installationIn(source), file, creating)
    const target = await openTarget(engine)
    await addToInstallation(target)
    const before = await hashInstallation(target)
    const server = await startServerOn(target)
    await expect(restoreBackup(target, file, neverAsked)).rejects.toThrow(
      engine === 'sqlite' ? /data folder .* is in use by/ : /A server uses the database/,
    )
    expect(await hashInstallation(target)).toEqual(before)
    await server.close()
    await restoreBackup(target, file, restoring)
    expect(await hashInstallation(target)).toEqual(await hashRows(source))
  })
})

it('is restored to the version of its tables and then migrated (§31.7)', async () => {
  const old = await openOld(12)
  await addRow(old, 'users', { id: 'ada', issuer: 'i', subject: 's', created_at: 1 })
  await addRow(old, 'chats', { id: 'chat', user_id: 'ada', created_at: 1, updated_at: 1 })
  await old.close()
  const source = { dataDir: folder, databaseUrl: null, secretKey }
  const created = await createBackup(source, file, creating)
  expect(created.keyFits).toBeNull()
  expect(created.rows).not.toHaveProperty('compactions')
  for (const engine of engines.filter(isConcurrent)) {
    const target = await openTarget(engine)
    expect((await restoreBackup(target, file, restoring)).sha256).toBe(created.sha256)
    const database = await openDatabase(target)
    expect(await database.db.selectFrom('chats').selectAll().execute()).toEqual([
      { id: 'chat', user_id: 'ada', selected_message_id: null, created_at: 1, updated_at: 1, chars: 0 },
    ])
    expect(await database.db.selectFrom('compactions').selectAll().execute()).toEqual([])
    await database.close()
  }
})

describe('a restore to SQLite', () => {
  let target: InstallationOptions
  let path: string

  beforeEach(async () => {
    const source = await openTestDatabase('sqlite')
    await addUser(source.db, { id: 'restored' })
    await createBackup(installationIn(source), file, creating)
    await source.close()
    target = await openTarget('sqlite')
    mkdirSync(target.dataDir)
    path = join(target.dataDir, sqliteFileName)
  })

  it('ignores the write-ahead log of a server that was killed (§31.6)', async () => {
    const killed = await openDatabase(target)
    await addUser(killed.db, { id: 'killed' })
    const log = readFileSync(`${path}-wal`)
    expect(log.length).toBeGreaterThan(0)
    await killed.close()
    writeFileSync(`${path}-wal`, log)
    await restoreBackup(target, file, restoring)
    expect(readdirSync(target.dataDir).toSorted()).toEqual(['server.lock', sqliteFileName])
    // The next start must not find anything to apply.
    const database = await openDatabase(target)
    expect(await database.db.selectFrom('users').select('id').execute()).toEqual([{ id: 'restored' }])
    await database.close()
  })

  it('replaces a file that SQLite cannot read (§31.6)', async () => {
    writeFileSync(path, 'no database '.repeat(1_000))
    await restoreBackup(target, file, restoring)
    const database = await openDatabase(target)
    expect(await database.db.selectFrom('users').select('id').execute()).toEqual([{ id: 'restored' }])
    await database.close()
  })

  it('is refused while any other process has the database open (§31.11)', async () => {
    const other = await openDatabase(target)
    const before = readFileSync(path)
    await expect(restoreBackup(target, file, neverAsked)).rejects.toThrow(/Another process has the database/)
    expect(readFileSync(path)).toEqual(before)
    await other.close()
  })
})

describe.runIf(engines.some((engine) => engine === 'postgres' && isConcurrent(engine)))(
  'moving to PostgreSQL',
  () => {
    it('copies all rows, leaves the SQLite file as it is, and refuses a database with data (§31.12)', async () => {
      const source = await openTestDatabase('sqlite')
      await fillTables(source)
      const rows = await hashRows(source)
      const { dataDir } = source.location
      const { sha256 } = await readSnapshot(source, hashContent)
      const url = (await openTarget('postgres')).databaseUrl ?? ''
      const move = () => moveToPostgres(dataDir, url, () => undefined)
      expect((await move()).sha256).toBe(sha256)
      const target = { dataDir, databaseUrl: url, secretKey }
      expect(await hashInstallation(target)).toEqual(rows)
      expect(await hashRows(source)).toEqual(rows)
      await addToInstallation(target)
      const before = await hashInstallation(target)
      await expect(move()).rejects.toThrow('already has data of Yonder. Use an empty database.')
      expect(await hashInstallation(target)).toEqual(before)
      const lock = await lockDataFolder(dataDir)
      await expect(move()).rejects.toThrow(/is in use by another server/)
      lock.release()
      await source.close()
    }, 60_000)

    it('never touches tables of another program (§31.12)', async () => {
      const source = await openTestDatabase('sqlite')
      const target = await openTestDatabase('postgres')
      await sql`alter table migrations rename column applied_at to batch`.execute(target.db)
      const before = await hashTables(target)
      const { dataDir } = source.location
      const move = moveToPostgres(dataDir, target.location.databaseUrl ?? '', () => undefined)
      await expect(move).rejects.toThrow('The database has tables of another program')
      await createBackup(installationIn(source), file, creating)
      await expect(restoreBackup(installationIn(target), file, restoring)).rejects.toThrow(
        'The database has tables of another program',
      )
      expect(await hashTables(target)).toEqual(before)
      await source.close()
      await target.close()
    })
  },
)
