import { parseArgs } from 'node:util'
import { readConfig } from './config/config.ts'
import { requireMigrated } from './db/migrate.ts'
import { openDatabase } from './db/open-database.ts'
import { requireSecretKey } from './db/secrets/require-secret-key.ts'
import { createSealer } from './db/secrets/seal-secret.ts'
import { runUserCommand } from './identity/users/user-command.ts'

/** `npm run users`: lists, resets, disables, enables and deletes users, also while the server runs. */
async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { yes: { type: 'boolean', default: false } },
  })
  const config = readConfig()
  const database = await openDatabase(config, {}, requireMigrated)
  try {
    const sealer = createSealer(requireSecretKey(config.secretKey, config.dataDir))
    const output = await runUserCommand({ config, database, sealer, now: Date.now }, positionals, values)
    process.stdout.write(`${output}\n`)
  } finally {
    await database.close()
  }
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
