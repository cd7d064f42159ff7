import type { Database, Db } from '../database.ts'
import { describeOtherVersion, migrations, countAppliedMigrations } from '../migrate.ts'
import { openStoredDatabase, type DatabaseOptions } from '../open-database.ts'
import { readSnapshot } from '../read-snapshot.ts'
import { compareSecretKey } from '../secrets/compare-secret-key.ts'
import { findSecretKey } from '../secrets/require-secret-key.ts'
import { createSealer } from '../secrets/seal-secret.ts'
import { writeBackupFile, type WrittenBackup } from './backup-file.ts'
import { readTables } from './copy-rows.ts'
import { refusal } from './refuse.ts'
import { withProgress, type ReportRows } from './rows.ts'

/** Where an installation has its data and its key. */
export interface InstallationOptions extends DatabaseOptions {
  /** The setting SECRET_KEY. Null means the key in `dataDir`. */
  readonly secretKey: string | null
}

export interface BackupOptions {
  /** The version of Yonder. */
  readonly version: string
  /** Whether the backup includes the key of the installation. */
  readonly withKey: boolean
  readonly onRows: ReportRows
  /** Aborts the backup. A file that was at the path before stays as it was. */
  readonly signal: AbortSignal
}

export interface CreatedBackup extends WrittenBackup {
  /** The result of `fitsKey`. Null also when the database is of an older version. */
  readonly keyFits: boolean | null
}

/**
 * Writes all data of one moment to a file, also while servers use the database.
 * @throws AppError when the database cannot be read by this version, or when the key to include is missing or not that
 *   of the data
 */
export async function createBackup(
  installation: InstallationOptions,
  path: string,
  { version, withKey, onRows, signal }: BackupOptions,
): Promise<CreatedBackup> {
  const secretKey = findSecretKey(installation.secretKey, installation.dataDir)
  const database = await openReadable(installation)
  try {
    return await readSnapshot(database, async (source) => {
      const applied = await countAppliedMigrations(source)
      // The secrets of an older version may be in other tables.
      const isCurrent = applied === migrations.length
      const keyFits = isCurrent ? await fitsKey(source.db, secretKey) : null
      if (withKey && secretKey === undefined) {
        throw refusal(
          'The key of this installation cannot be included, because there is none. Check SECRET_KEY, or secret.key in DATA_DIR.',
        )
      }
      if (withKey && keyFits === false) {
        throw refusal(
          'The key of this installation cannot be included, because it does not decrypt the stored secrets. Check SECRET_KEY, or secret.key in DATA_DIR.',
        )
      }
      const header = {
        version,
        migrations: applied,
        database: source.dialect.kind,
        createdAt: new Date().toISOString(),
        ...(withKey && secretKey !== undefined ? { secretKey } : {}),
      }
      const written = await writeBackupFile(path, header, withProgress(readTables(source), onRows), signal)
      return { ...written, keyFits }
    })
  } finally {
    await database.close()
  }
}

/**
 * Whether this key opens the secrets of a database of this version (`compareSecretKey`); false without a key. Null when
 * there are no secrets to compare it with.
 */
export async function fitsKey(db: Db, secretKey: string | undefined): Promise<boolean | null> {
  const fits = await compareSecretKey(db, createSealer(secretKey ?? 'no key'))
  return fits === 'unknown' ? null : fits === 'fits'
}

/**
 * Opens a stored database of this or of an older version, without migrating it.
 * @throws AppError when there is none, or when it is from a newer version
 */
export async function openReadable(options: DatabaseOptions): Promise<Database> {
  const database = await openStoredDatabase(options)
  try {
    const applied = await countAppliedMigrations(database)
    const problem = describeOtherVersion(applied)
    if (problem !== null && (applied === 0 || applied > migrations.length)) throw refusal(problem)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}
