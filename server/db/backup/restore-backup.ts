import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { AppError } from '../../lib/app-error.ts'
import { errorCode } from '../../lib/describe-error.ts'
import { giveToOwner, syncFolder } from '../data-folder.ts'
import type { Db } from '../database.ts'
import { SqliteFile } from '../dialects/sqlite-file.ts'
import { filesFolderOf, openSqlite } from '../dialects/sqlite.ts'
import { FolderBytes } from '../files/folder-bytes.ts'
import { settlePieces } from '../files/settle-pieces.ts'
import { lockDataFolder } from '../lock-data-folder.ts'
import { countFrom, migrations } from '../migrate.ts'
import { openStoredDatabase, sqliteFileName } from '../open-database.ts'
import { changeSecretKey } from '../secrets/open-sealer.ts'
import {
  findSecretKey,
  requireSecretKey,
  secretKeyFileName,
  writeSecretKey,
} from '../secrets/require-secret-key.ts'
import { createSealer } from '../secrets/seal-secret.ts'
import { readChunks, readHeader, type Header } from './backup-file.ts'
import { fitsKey, type InstallationOptions } from './create-backup.ts'
import { fillDatabase, hasData } from './fill-database.ts'
import { refusal, refuseNewer } from './refuse.ts'
import { withProgress, type Content, type ReportRows } from './rows.ts'

export interface RestoreOptions {
  /**
   * Restores without the key that sealed the secrets in the backup: removes those of the sign-in, which cannot be
   * opened without it. Users have to enter their own keys again.
   */
  readonly lostKey: boolean
  /** Asks before data is replaced. @throws when the operator declines */
  readonly confirm: (header: Header) => Promise<void>
  readonly onVerifiedRows: ReportRows
  readonly onRestoredRows: ReportRows
}

/**
 * Replaces the data of an installation by a backup. If it fails or is killed, the data is as before.
 * @throws AppError when the file, the key or the database does not allow it, or when a server uses the database
 */
export async function restoreBackup(
  installation: InstallationOptions,
  path: string,
  options: RestoreOptions,
): Promise<Content> {
  const header = await readHeader(path)
  if (header.migrations > migrations.length) {
    throw refusal(
      `The backup ${path} is from a newer version of Yonder (${header.version}). Restore it with that version.`,
    )
  }
  return installation.databaseUrl === null
    ? restoreToSqlite(installation, path, header, options)
    : restoreToPostgres(installation, path, header, options)
}

/** Reads the whole file before anything is changed. */
async function verify(path: string, { onVerifiedRows }: RestoreOptions): Promise<void> {
  for await (const _ of withProgress(readChunks(path), onVerifiedRows));
}

async function restoreToPostgres(
  installation: InstallationOptions,
  path: string,
  header: Header,
  options: RestoreOptions,
): Promise<Content> {
  const database = await openStoredDatabase(installation)
  try {
    const replacesData = await hasData(database)
    await verify(path, options)
    if (replacesData) await options.confirm(header)
    return await fillDatabase(database, {
      migrations: header.migrations,
      chunks: withProgress(readChunks(path), options.onRestoredRows),
      check: async (trx) => {
        await checkKey(trx, installation, header, options)
        // The key is written before the data is committed, because no secret in the data can be opened without it.
        if (addsKey(installation, header, options)) writeSecretKey(installation.dataDir, header.secretKey)
      },
    })
  } finally {
    await database.close()
  }
}

/** Fills a new file, which then replaces the old one. */
async function restoreToSqlite(
  installation: InstallationOptions,
  path: string,
  header: Header,
  options: RestoreOptions,
): Promise<Content> {
  const { dataDir } = installation
  const lock = await lockDataFolder(dataDir)
  const target = join(dataDir, sqliteFileName)
  // The lock makes this process the only one that uses this name. A restore that was killed may have left the file.
  const draft = `${target}.restore`
  try {
    if (existsSync(target)) prepareReplacement(target)
    await verify(path, options)
    if (existsSync(target)) await options.confirm(header)
    removeSqlite(draft)
    closeSync(openSync(draft, 'wx', 0o600))
    giveToOwner(draft)
    const database = openSqlite(draft)
    let content: Content
    try {
      // Faster, and safe: the file is deleted when this fails.
      await sql`pragma journal_mode = memory`.execute(database.db)
      await sql`pragma synchronous = off`.execute(database.db)
      content = await fillDatabase(database, {
        migrations: header.migrations,
        chunks: withProgress(readChunks(path), options.onRestoredRows),
        check: (trx) => checkKey(trx, installation, header, options),
      })
      await settlePieces(database.db, new FolderBytes(filesFolderOf(draft)))
    } finally {
      await database.close()
    }
    const file = await open(draft, 'r+')
    await file.sync()
    await file.close()
    // Again, because a command may have opened the database meanwhile.
    if (existsSync(target)) prepareReplacement(target)
    const addedKey = addsKey(installation, header, options)
    if (addedKey) writeSecretKey(dataDir, header.secretKey)
    await rename(draft, target).catch((error: unknown) => {
      if (addedKey) rmSync(join(dataDir, secretKeyFileName))
      throw error
    })
    await syncFolder(dataDir)
    return content
  } finally {
    removeSqlite(draft)
    lock.release()
  }
}

/**
 * Compares the key with the restored secrets. With `lostKey`, removes those of the sign-in instead, and binds the data to
 * the key of the installation, which is created if there is none.
 * @throws AppError when the key is missing or another one
 */
async function checkKey(
  trx: Db,
  { secretKey, dataDir }: InstallationOptions,
  header: Header,
  { lostKey }: RestoreOptions,
): Promise<void> {
  if (lostKey) {
    await changeSecretKey(trx, createSealer(requireSecretKey(secretKey, dataDir)), Date.now())
    return
  }
  const ownKey = findSecretKey(secretKey, dataDir)
  if ((await fitsKey(trx, ownKey ?? header.secretKey)) === false) throw wrongKey(dataDir, ownKey, header)
}

/** Whether the installation has no key and gets that of the backup. */
function addsKey(
  { secretKey, dataDir }: InstallationOptions,
  header: Header,
  { lostKey }: RestoreOptions,
): header is Header & { readonly secretKey: string } {
  return !lostKey && header.secretKey !== undefined && findSecretKey(secretKey, dataDir) === undefined
}

function wrongKey(dataDir: string, ownKey: string | undefined, header: Header): AppError {
  const what =
    (ownKey ?? header.secretKey) === undefined
      ? 'There is no key for the secrets in the backup.'
      : 'The secrets in the backup were sealed with another key.'
  const how =
    ownKey !== undefined && header.secretKey !== undefined
      ? `To use the key in the backup, remove SECRET_KEY and ${join(dataDir, 'secret.key')}.`
      : `Set SECRET_KEY to the key of the installation that was backed up, or put its secret.key into ${dataDir}.`
  return refusal(`${what} ${how} Nothing was restored. Without the key, use --lost-key.`)
}

/**
 * Merges the write-ahead log into a SQLite file, so that a rename can replace the file: a write-ahead log that a killed
 * server left would otherwise be applied to the new file. A file that SQLite cannot read loses its log.
 * @throws AppError when another process has the database open, or when it is of a newer version
 */
function prepareReplacement(path: string): void {
  const file = new SqliteFile(path, { timeout: 1_000 })
  try {
    refuseNewer(readApplied(file))
    file.pragma('journal_mode = delete')
  } catch (error) {
    const code = errorCode(error)
    if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
      throw refusal(
        `Another process has the database ${path} open. Stop it first. Nothing was restored.`,
        error,
      )
    }
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(code)) throw error
  } finally {
    file.close()
  }
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** The number of migrations of a SQLite file; 0 when it has no table of them. */
function readApplied(file: InstanceType<typeof SqliteFile>): number {
  const hasTable = file.prepare("select 1 from sqlite_schema where name = 'migrations'").get() !== undefined
  if (!hasTable) return 0
  return countFrom(
    file.prepare<[], number | null>('select max(number) from migrations').pluck().get() ?? null,
  )
}

function removeSqlite(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}
