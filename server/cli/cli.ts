import type { Command } from 'commander'
import { readSettings, type Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { requireMigrated } from '../db/migrate.ts'
import { openStoredDatabase } from '../db/open-database.ts'
import { compareSecretKey } from '../db/secrets/compare-secret-key.ts'
import { findSecretKey } from '../db/secrets/require-secret-key.ts'
import { createSealer, type Sealer } from '../db/secrets/seal-secret.ts'
import { toStorageError } from '../db/storage-problem.ts'
import { CommandError, type Terminal } from './terminal.ts'

/** What every command of `yonder` gets. */
export interface Cli {
  /** The command adds itself here. */
  readonly program: Command
  readonly terminal: Terminal
  /** The settings that have precedence over the environment, such as `DATA_DIR` from the option `--data`. */
  settings(): Readonly<Record<string, string | undefined>>
  /** Called by a command that has run and has found problems, as `doctor` does. */
  setExitCode(code: 1): void
}

/** The data of an installation, opened by a command while its server may be running. */
export interface Installation {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
}

/**
 * Opens the configured database for `work` and closes it afterwards. Nothing is created: neither the folder, nor the
 * database, nor the key. The database is never migrated, because its server may be of another version.
 * @throws ConfigError when a setting is wrong, AppError or CommandError when something is missing or does not fit
 */
export async function withInstallation<T>(
  { settings, terminal }: Pick<Cli, 'settings' | 'terminal'>,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const { config, warnings } = readSettings(settings())
  // A misspelled setting may lead to another database.
  warnings.forEach(terminal.warn)
  const database = await openStoredDatabase(config)
  try {
    await requireMigrated(database)
    return await work({ config, database, sealer: await openStoredSealer(config, database) })
  } catch (error) {
    const problem = toStorageError(error)
    if (problem === null || !(error instanceof Error)) throw error
    throw new CommandError(`${problem.message} (${error.message})`)
  } finally {
    await database.close()
  }
}

/** Requires the key of the database, because the server could not read what a command seals with another key. */
async function openStoredSealer({ secretKey, dataDir }: Config, { db }: Database): Promise<Sealer> {
  const key = findSecretKey(secretKey, dataDir)
  if (key === undefined) {
    throw new CommandError(
      `There is no key for this database. Set SECRET_KEY as for the server, or check that secret.key is in ${dataDir}.`,
    )
  }
  const sealer = createSealer(key)
  if ((await compareSecretKey(db, sealer)) === 'differs') {
    throw new CommandError(
      'The key does not belong to this database. Use the same SECRET_KEY, or secret.key in DATA_DIR, as its server.',
    )
  }
  return sealer
}
