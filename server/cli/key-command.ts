import { readConfig } from '../config/config.ts'
import { refuseRunningServer } from '../db/backup/fill-database.ts'
import { lockDataFolder } from '../db/lock-data-folder.ts'
import { requireMigrated } from '../db/migrate.ts'
import { openStoredDatabase } from '../db/open-database.ts'
import { compareSecretKey } from '../db/secrets/compare-secret-key.ts'
import { changeSecretKey } from '../db/secrets/open-sealer.ts'
import { findSecretKey, requireSecretKey } from '../db/secrets/require-secret-key.ts'
import { createSealer } from '../db/secrets/seal-secret.ts'
import type { Cli } from './cli.ts'

/** Adds `yonder change-key`. */
export function addKeyCommand({ program, terminal, settings }: Cli): void {
  program
    .command('change-key')
    .description('use the database with another SECRET_KEY from now on, while no server runs')
    .option('--yes', 'change the key without asking')
    .addHelpText('after', '\nExample: SECRET_KEY=$(openssl rand -hex 32) yonder change-key')
    .action(async () => {
      const config = readConfig(settings())
      const database = await openStoredDatabase(config)
      const lock = config.databaseUrl === null ? await lockDataFolder(config.dataDir) : null
      try {
        await requireMigrated(database)
        const known = findSecretKey(config.secretKey, config.dataDir)
        if (known !== undefined && (await compareSecretKey(database.db, createSealer(known))) === 'fits') {
          terminal.print({
            text: 'This is the key of the database already. Nothing was changed.',
            data: { changed: false },
          })
          return
        }
        await terminal.confirm(
          'Every user has to sign in again, enter the stored keys again, and connect connectors and Google again. It cannot be undone.',
        )
        await database.db.transaction().execute(async (trx) => {
          await refuseRunningServer(trx, database.dialect)
          const sealer = createSealer(requireSecretKey(config.secretKey, config.dataDir))
          await changeSecretKey(trx, sealer, Date.now())
        })
        terminal.print({
          text: 'The database is used with this key from now on. Start the servers, all with this key.',
          data: { changed: true },
        })
      } finally {
        await database.close()
        lock?.release()
      }
    })
}
