import type { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { requireMigrated } from '../db/migrate.ts'
import { openDatabase } from '../db/open-database.ts'
import { requireSecretKey } from '../db/secrets/require-secret-key.ts'
import { createSealer } from '../db/secrets/seal-secret.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { Terminal } from './terminal.ts'

/** What every command of `yonder` gets. */
export interface Cli {
  /** The command adds itself here. */
  readonly program: Command
  readonly terminal: Terminal
  /** The settings that the options of the running command set, such as `--data`. */
  settings(): Readonly<Record<string, string | undefined>>
}

/** The data of an installation, opened by a command while its server may be running. */
export interface Installation {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
}

/**
 * Opens the configured database for `work` and closes it afterwards. It is never migrated, because the server that uses it
 * may be of another version.
 * @throws ConfigError when a setting is wrong
 */
export async function withInstallation<T>(
  { settings }: Pick<Cli, 'settings'>,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const config = readConfig(settings())
  const database = await openDatabase(config, {}, requireMigrated)
  try {
    const sealer = createSealer(requireSecretKey(config.secretKey, config.dataDir))
    return await work({ config, database, sealer })
  } finally {
    await database.close()
  }
}
