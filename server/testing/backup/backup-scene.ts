import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { InstallationOptions } from '../../db/backup/create-backup.ts'
import type { RestoreOptions } from '../../db/backup/restore-backup.ts'
import { openDatabase } from '../../db/open-database.ts'
import { hashTables } from '../database/hash-tables.ts'
import { openTestDatabase, type Engine, type TestDatabase } from '../database/test-database.ts'
import { addUser } from '../factories/users.ts'

export const secretKey = 'a secret of tests that is long enough'
export const otherKey = 'another secret of tests, long enough'

export const createOptions = {
  version: '1.2.3',
  withKey: false,
  onRows: () => undefined,
  signal: new AbortController().signal,
}

/** Options of a restore that confirm that data is replaced. */
export const restoreOptions: RestoreOptions = {
  lostKey: false,
  confirm: () => Promise.resolve(),
  onVerifiedRows: () => undefined,
  onRestoredRows: () => undefined,
}

/** Options with which a restore fails when it asks whether to replace data. */
export const failIfAsked: RestoreOptions = {
  ...restoreOptions,
  confirm: () => Promise.reject(new Error('The restore asked.')),
}

/** The file of a backup, and databases to restore it to. Each test has its own. */
export class BackupScene {
  /** The folder of `file`, empty at first. */
  folder!: string
  /** The path at which a test writes its backup. */
  file!: string
  readonly #opened: TestDatabase[] = []

  /** Opens the scene for the tests of this file or `describe` block. */
  constructor() {
    beforeEach(() => {
      this.folder = mkdtempSync(join(tmpdir(), 'yonder backup ä😀-'))
      this.file = join(this.folder, 'Sicherung vom Döner.backup')
    })
    afterEach(async () => {
      rmSync(this.folder, { recursive: true })
      for (const database of this.#opened.splice(0)) {
        // A SQLite database was closed by `openTarget`, and a restore may have replaced its file.
        if (database.dialect.kind === 'postgres') await database.close()
        else rmSync(database.location.dataDir, { recursive: true, force: true })
      }
    })
  }

  /** Opens an empty database, and leaves it for the code under test to open again. */
  async openTarget(engine: Engine): Promise<InstallationOptions> {
    const database = await openTestDatabase(engine)
    if (engine === 'sqlite') await database.close()
    this.#opened.push(database)
    return installationOf(database)
  }
}

/** How the commands open a test database; `null` for an installation without a key. */
export const installationOf = (
  database: TestDatabase,
  key: string | null = secretKey,
): InstallationOptions => ({
  ...database.location,
  secretKey: key,
})

/** Stores data that a refused restore must not change. */
export async function addToInstallation(installation: InstallationOptions): Promise<void> {
  const database = await openDatabase(installation)
  await addUser(database.db, { id: 'present' })
  await database.close()
}

/** Hashes the tables of an installation that no other code has open. */
export async function hashInstallation(
  installation: InstallationOptions,
): Promise<Readonly<Record<string, string>>> {
  const database = await openDatabase(installation)
  const hashes = await hashRows(database)
  await database.close()
  return hashes
}

/** Returns what `hashTables` does, without the table of the migrations, which has the times at which they ran. */
export async function hashRows(
  database: Parameters<typeof hashTables>[0],
): Promise<Readonly<Record<string, string>>> {
  const { migrations: _, ...hashes } = await hashTables(database)
  return hashes
}
