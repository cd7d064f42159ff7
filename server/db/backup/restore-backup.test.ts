import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  addToInstallation,
  BackupScene,
  createOptions,
  failIfAsked,
  hashInstallation,
  hashRows,
  installationOf,
  otherKey,
  restoreOptions,
  secretKey,
} from '../../testing/backup/backup-scene.ts'
import { filledRows, fillTables } from '../../testing/database/fill-tables.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { addUser } from '../../testing/factories/users.ts'
import type { Database } from '../database.ts'
import { openSqlite } from '../dialects/sqlite.ts'
import { lockDataFolder } from '../lock-data-folder.ts'
import { migrations, runNextMigration } from '../migrate.ts'
import { openDatabase, sqliteFileName } from '../open-database.ts'
import { openNode } from '../open-node.ts'
import { readSnapshot } from '../read-snapshot.ts'
import { installationKeyContext } from '../secrets/seal-contexts.ts'
import { createSealer } from '../secrets/seal-secret.ts'
import { writeBackupFile } from './backup-file.ts'
import { readTables } from './copy-rows.ts'
import { createBackup, type InstallationOptions } from './create-backup.ts'
import { restoreBackup } from './restore-backup.ts'

const scene = new BackupScene()

async function addSignInKey({ db }: TestDatabase, key = secretKey): Promise<void> {
  const value = createSealer(key).seal('secret', installationKeyContext('cookie'))
  await db.insertInto('keys').values({ name: 'cookie', value, created_at: 1 }).execute()
}

/** Registers as a server does. */
async function startServerOn(target: InstallationOptions): Promise<{ close(): Promise<void> }> {
  if (target.databaseUrl === null) {
    const lock = await lockDataFolder(target.dataDir)
    return { close: async () => lock.release() }
  }
  const database = await openDatabase(target)
  const node = await openNode(database, 'a-server', () => undefined)
  return {
    close: async () => {
      await node.close()
      await database.close()
    },
  }
}

/** A SQLite database in the scene's folder after that many migrations. */
async function openOld(count: number): Promise<Database> {
  const database = openSqlite(join(scene.folder, sqliteFileName))
  while (await database.db.transaction().execute((trx) => runNextMigration(trx, database.dialect, count)));
  return database
}

async function addRow({ db }: Database, table: string, row: Record<string, string | number>): Promise<void> {
  const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)))
  await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(db)
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

  it.each(engines.filter(isConcurrent))(
    'is restored to %s with the same rows and hash, and messages are queued for the search',
    async (targetEngine) => {
      await fillTables(source)
      const created = await createBackup(installationOf(source), scene.file, createOptions)
      expect(created.rows).toEqual(filledRows)
      expect(created.bytes).toBe(statSync(scene.file).size)
      expect(statSync(scene.file).mode & 0o777).toBe(0o600)
      expect(readdirSync(scene.folder)).toEqual(['Sicherung vom Döner.backup'])

      const target = await scene.openTarget(targetEngine)
      const restored = await restoreBackup(target, scene.file, restoreOptions)
      expect(restored).toEqual({ rows: created.rows, sha256: created.sha256 })
      const database = await openDatabase(target)
      expect(await hashRows(database)).toEqual(await hashRows(source))
      const queued = await database.db.selectFrom('search_queue').select('position').execute()
      // The others are results of a tool, which SQLite does not queue.
      expect(queued).toContainEqual({ position: 2 })
      // New rows get new numbers.
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

  it('is refused with another key, and restored with its own', async () => {
    await addSignInKey(source)
    const created = await createBackup(installationOf(source), scene.file, createOptions)
    expect(created.keyFits).toBe(true)
    expect(gunzipSync(readFileSync(scene.file)).toString()).not.toContain(secretKey)
    const second = await createBackup(
      installationOf(source, otherKey),
      join(scene.folder, 'second'),
      createOptions,
    )
    expect(second.keyFits).toBe(false)
    const target = await scene.openTarget(engine)
    await addToInstallation(target)
    const before = await hashInstallation(target)
    for (const [key, message] of [
      [otherKey, /were sealed with another key/],
      [null, /There is no key for the secrets/],
    ] as const) {
      const restore = restoreBackup({ ...target, secretKey: key }, scene.file, restoreOptions)
      await expect(restore).rejects.toThrow(message)
      expect(await hashInstallation(target)).toEqual(before)
    }
    await restoreBackup({ ...target, secretKey: otherKey }, scene.file, { ...restoreOptions, lostKey: true })
    // The data belongs to the key of the installation from now on.
    const lost = await openDatabase(target)
    const keys = await lost.db.selectFrom('keys').select(['name', 'value']).execute()
    await lost.close()
    expect(keys.map(({ name }) => name)).toEqual(['fingerprint'])
    const opened = createSealer(otherKey).open(keys[0]?.value ?? '', installationKeyContext('fingerprint'))
    expect(opened).toBe('')
    await restoreBackup(target, scene.file, restoreOptions)
    expect(await hashInstallation(target)).toEqual(await hashRows(source))
  }, 60_000)

  it('is refused when the key in the backup is another one than that of its secrets', async () => {
    await addSignInKey(source)
    const header = {
      version: '1.2.3',
      migrations: migrations.length,
      database: source.dialect.kind,
      createdAt: new Date().toISOString(),
      secretKey: otherKey,
    }
    await readSnapshot(source, (snapshot) =>
      writeBackupFile(scene.file, header, readTables(snapshot), createOptions.signal),
    )
    const target = {
      ...(await scene.openTarget(engine)),
      dataDir: join(scene.folder, 'new'),
      secretKey: null,
    }
    await expect(restoreBackup(target, scene.file, restoreOptions)).rejects.toThrow(
      /were sealed with another key\. Set SECRET_KEY/,
    )
  })

  it('contains the key when the operator asks for it, and a restore writes it where no other is', async () => {
    await addSignInKey(source)
    const withKey = { ...createOptions, withKey: true }
    await expect(createBackup(installationOf(source, otherKey), scene.file, withKey)).rejects.toThrow(
      /does not decrypt the stored secrets/,
    )
    const noKey = { ...installationOf(source), secretKey: null }
    await expect(createBackup(noKey, scene.file, withKey)).rejects.toThrow(/because there is none/)
    expect(readdirSync(scene.folder)).toEqual([])
    await createBackup(installationOf(source), scene.file, withKey)
    const target = {
      ...(await scene.openTarget(engine)),
      dataDir: join(scene.folder, 'neu ß'),
      secretKey: null,
    }
    await restoreBackup(target, scene.file, failIfAsked)
    const keyFile = join(target.dataDir, 'secret.key')
    expect(readFileSync(keyFile, 'utf8')).toBe(secretKey)
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
    writeFileSync(keyFile, otherKey)
    await expect(restoreBackup(target, scene.file, restoreOptions)).rejects.toThrow(
      /To use the key in the backup, remove SECRET_KEY/,
    )
    expect(readFileSync(keyFile, 'utf8')).toBe(otherKey)
  }, 60_000)

  it('asks before it replaces data, and changes nothing when the operator declines', async () => {
    await createBackup(installationOf(source), scene.file, createOptions)
    const target = await scene.openTarget(engine)
    await restoreBackup(target, scene.file, restoreOptions)
    await addToInstallation(target)
    const before = await hashInstallation(target)
    await expect(restoreBackup(target, scene.file, failIfAsked)).rejects.toThrow('The restore asked.')
    expect(await hashInstallation(target)).toEqual(before)
  })

  it('is not restored while a server uses the database', async () => {
    await createBackup(installationOf(source), scene.file, createOptions)
    const target = await scene.openTarget(engine)
    await addToInstallation(target)
    const before = await hashInstallation(target)
    const server = await startServerOn(target)
    await expect(restoreBackup(target, scene.file, failIfAsked)).rejects.toThrow(
      engine === 'sqlite' ? /data folder .* is in use by/ : /A server uses the database/,
    )
    expect(await hashInstallation(target)).toEqual(before)
    await server.close()
    await restoreBackup(target, scene.file, restoreOptions)
    expect(await hashInstallation(target)).toEqual(await hashRows(source))
  })

  it('is not restored if a server starts while the confirmation is pending', async () => {
    await createBackup(installationOf(source), scene.file, createOptions)
    const target = await scene.openTarget(engine)
    await addToInstallation(target)
    const before = await hashInstallation(target)
    let server: Awaited<ReturnType<typeof startServerOn>> | undefined
    const confirm = async () => {
      server = await startServerOn(target)
    }
    // With SQLite it is the server that does not start.
    await expect(restoreBackup(target, scene.file, { ...restoreOptions, confirm })).rejects.toThrow(
      engine === 'sqlite' ? /data folder .* is in use by/ : /A server uses the database/,
    )
    await server?.close()
    expect(await hashInstallation(target)).toEqual(before)
  })
})

it('from the first version is restored to the tables of that version and then migrated', async () => {
  const old = await openOld(1)
  await addRow(old, 'users', { id: 'ada', issuer: 'i', subject: 's', created_at: 1 })
  await addRow(old, 'chats', { id: 'chat', user_id: 'ada', created_at: 1, updated_at: 1 })
  await old.close()
  const source = { dataDir: scene.folder, databaseUrl: null, secretKey }
  const created = await createBackup(source, scene.file, createOptions)
  expect(created.keyFits).toBeNull()
  for (const engine of engines.filter(isConcurrent)) {
    const target = await scene.openTarget(engine)
    expect((await restoreBackup(target, scene.file, restoreOptions)).sha256).toBe(created.sha256)
    const database = await openDatabase(target)
    expect(await database.db.selectFrom('chats').selectAll().execute()).toMatchObject([
      { id: 'chat', user_id: 'ada', created_at: 1, updated_at: 1 },
    ])
    await database.close()
  }
})

describe('a restore to SQLite', () => {
  let target: InstallationOptions
  let path: string

  beforeEach(async () => {
    const source = await openTestDatabase('sqlite')
    await addUser(source.db, { id: 'restored' })
    await createBackup(installationOf(source), scene.file, createOptions)
    await source.close()
    target = await scene.openTarget('sqlite')
    mkdirSync(target.dataDir)
    path = join(target.dataDir, sqliteFileName)
  })

  it('ignores the write-ahead log of a server that was killed', async () => {
    const killed = await openDatabase(target)
    await addUser(killed.db, { id: 'killed' })
    const log = readFileSync(`${path}-wal`)
    expect(log.length).toBeGreaterThan(0)
    await killed.close()
    writeFileSync(`${path}-wal`, log)
    await restoreBackup(target, scene.file, restoreOptions)
    expect(readdirSync(target.dataDir).toSorted()).toEqual(['server.lock', sqliteFileName])
    // The next start must not find anything to apply.
    const database = await openDatabase(target)
    expect(await database.db.selectFrom('users').select('id').execute()).toEqual([{ id: 'restored' }])
    await database.close()
  })

  it('replaces a file that SQLite cannot read', async () => {
    writeFileSync(path, 'no database '.repeat(1_000))
    await restoreBackup(target, scene.file, restoreOptions)
    const database = await openDatabase(target)
    expect(await database.db.selectFrom('users').select('id').execute()).toEqual([{ id: 'restored' }])
    await database.close()
  })

  it('is refused while any other process has the database open', async () => {
    const other = await openDatabase(target)
    const before = readFileSync(path)
    await expect(restoreBackup(target, scene.file, failIfAsked)).rejects.toThrow(
      /Another process has the database/,
    )
    expect(readFileSync(path)).toEqual(before)
    await other.close()
  })

  it('is refused if another process opens the database while the confirmation is pending, and leaves no key behind', async () => {
    const source = await openTestDatabase('sqlite')
    await createBackup(installationOf(source), scene.file, { ...createOptions, withKey: true })
    await source.close()
    target = { ...target, secretKey: null }
    await addToInstallation(target)
    const before = await hashInstallation(target)
    let other: Database | undefined
    const confirm = async () => {
      other = await openDatabase(target)
    }
    await expect(restoreBackup(target, scene.file, { ...restoreOptions, confirm })).rejects.toThrow(
      /Another process has the database/,
    )
    await other?.close()
    expect(await hashInstallation(target)).toEqual(before)
    expect(readdirSync(target.dataDir).toSorted()).toEqual(['server.lock', sqliteFileName])
  })

  it('creates a file that only its owner can read', async () => {
    await restoreBackup(target, scene.file, restoreOptions)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })
})
