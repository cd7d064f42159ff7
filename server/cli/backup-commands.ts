import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConfig } from '../config/config.ts'
import { withHost } from '../config/setting-values.ts'
import type { CreatedBackup } from '../db/backup/create-backup.ts'
import { countRows, type Content, type ReportRows } from '../db/backup/rows.ts'
import { errorCode } from '../lib/describe-error.ts'
import packageJson from '../package.json' with { type: 'json' }
import type { Cli } from './cli.ts'
import { findFileProblem } from './file-problem.ts'
import { CommandError, type Terminal } from './terminal.ts'

/** Adds `yonder backup`, `yonder restore` and `yonder move-to-postgres`. */
export function addBackupCommands(cli: Cli): void {
  addBackup(cli)
  addRestore(cli)
  addMove(cli)
}

function addBackup({ program, terminal, settings }: Cli): void {
  program
    .command('backup <file>')
    .description('write all data to a file, also while the server runs')
    .option('--with-key', 'include the key that decrypts the stored secrets')
    .option('--yes', 'replace an existing file without asking')
    .addHelpText('after', '\nExample: yonder backup "/var/backups/yonder-$(date +%F).backup" --yes')
    .action((file: string, { withKey = false }: { readonly withKey?: boolean }) =>
      convertSystemErrors(async () => {
        const path = resolve(file)
        if (existsSync(path)) await terminal.confirm(`${path} exists and will be replaced.`)
        const onRows = reportProgress(terminal, 'Written')
        const { version } = packageJson
        const { createBackup } = await import('../db/backup/create-backup.ts')
        const interrupted = new AbortController()
        process.once('SIGINT', () => interrupted.abort(new CommandError('Nothing was written.')))
        const { signal } = interrupted
        const created = await createBackup(readConfig(settings()), path, { version, withKey, onRows, signal })
        const { bytes, rows, sha256, keyFits } = created
        const text = `${describeContent(`Backup ${path}`, created)}\n${bytes.toLocaleString('en')} bytes\n${describeKey(created, withKey)}`
        terminal.print({ text, data: { file: path, rows, sha256, bytes, withKey, keyFits } })
      }),
    )
}

function addRestore({ program, terminal, settings }: Cli): void {
  program
    .command('restore <file>')
    .description('replace all data with a backup of SQLite or PostgreSQL, while no server runs')
    .option('--lost-key', 'restore without the key of the backup: users sign in and enter their keys again')
    .option('--yes', 'replace existing data without asking')
    .addHelpText('after', '\nExample: yonder restore /var/backups/yonder-2026-11-24.backup')
    .action((file: string, { lostKey = false }: { readonly lostKey?: boolean }) =>
      convertSystemErrors(async () => {
        const path = resolve(file)
        const config = readConfig(settings())
        const { restoreBackup } = await import('../db/backup/restore-backup.ts')
        const content = await restoreBackup(config, path, {
          lostKey,
          confirm: ({ createdAt }) =>
            terminal.confirm(
              `This replaces all data in ${config.databaseUrl === null ? config.dataDir : 'the database at DATABASE_URL'} with the backup of ${createdAt}. It cannot be undone.`,
            ),
          onVerifiedRows: reportProgress(terminal, 'Checked'),
          onRestoredRows: reportProgress(terminal, 'Restored'),
        })
        const { rows, sha256 } = content
        terminal.print({
          text: `${describeContent(`Restored ${path}`, content)}\nStart the server. It builds the search index while it runs.`,
          data: { file: path, rows, sha256 },
        })
      }),
    )
}

function addMove({ program, terminal, settings }: Cli): void {
  program
    .command('move-to-postgres [url]')
    .description('copy the SQLite database to an empty PostgreSQL database, while no server runs')
    .addHelpText(
      'after',
      `
Without an address it is DATABASE_URL, in the environment or in .env. Other users of this machine can read an argument,
and so a password in it.

Example: DATABASE_URL=postgres://yonder:password@localhost/yonder yonder move-to-postgres`,
    )
    .action((given?: string) =>
      convertSystemErrors(async () => {
        const config = readConfig({ ...settings(), ...(given !== undefined && { DATABASE_URL: given }) })
        const { dataDir, secretKey, databaseUrl: url } = config
        if (url === null)
          throw new CommandError(
            'Set DATABASE_URL to the address of the empty PostgreSQL database. Nothing was changed.',
          )
        if (given !== undefined && new URL(withHost(given)).password !== '')
          terminal.progress(
            'Other users of this machine can read the password of the database in the arguments of this command. Set DATABASE_URL instead.',
          )
        const { moveToPostgres } = await import('../db/backup/move-to-postgres.ts')
        const content = await moveToPostgres(dataDir, url, reportProgress(terminal, 'Copied'))
        const key =
          secretKey === null
            ? `Keep ${dataDir}/secret.key. Other nodes need its content as SECRET_KEY.`
            : 'Keep SECRET_KEY.'
        terminal.print({
          text: `${describeContent('Copied to PostgreSQL', content)}\nSet DATABASE_URL to this address, and start the server. ${key}\nThe SQLite database was not changed. Delete it when everything works.`,
          data: { rows: content.rows, sha256: content.sha256 },
        })
      }),
    )
}

function describeContent(what: string, content: Content): string {
  return `${what}: ${countRows(content)} rows\nSHA-256 of the rows ${content.sha256}`
}

function describeKey({ keyFits }: CreatedBackup, withKey: boolean): string {
  if (withKey) return 'The file contains the key of the stored secrets. Keep it where only you can read it.'
  return keyFits === false
    ? 'The backup is complete, but the key of this installation does not decrypt the secrets in it. Find the right key before you need the backup: check SECRET_KEY, or secret.key in DATA_DIR.'
    : 'The file does not contain the key of the stored secrets. Keep SECRET_KEY, or secret.key in DATA_DIR, in another place.'
}

/** Milliseconds between two updates of the progress. */
const reportIntervalMs = 200

function reportProgress(terminal: Terminal, what: string): ReportRows {
  let reportedAt = performance.now()
  return (rows) => {
    const now = performance.now()
    if (now - reportedAt < reportIntervalMs) return
    reportedAt = now
    terminal.progress(`${what} ${rows} rows`)
  }
}

/** Rethrows problems with files, disks and connections as `CommandError`, which is printed without a stack. */
async function convertSystemErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const problem = describeSystemError(error)
    throw problem === undefined ? error : new CommandError(problem)
  }
}

function describeSystemError(error: unknown): string | undefined {
  const code = errorCode(error)
  // 53100 is PostgreSQL's code for a full disk.
  if (code === 'SQLITE_FULL' || code === '53100')
    return 'The disk of the database is full. Nothing was changed.'
  // Codes of PostgreSQL: lost connections (08, 57P), refused passwords (28) and missing databases (3D).
  if (/^(08|28|3D|57P)/.test(code) && error instanceof Error) {
    return `The PostgreSQL database cannot be used: ${error.message}. Nothing was changed.`
  }
  const problem = findFileProblem(error)
  if (problem === undefined || !(error instanceof Error)) return undefined
  const isRead = 'syscall' in error && error.syscall === 'read'
  const failed = isRead ? 'The file cannot be read' : 'The file cannot be written'
  const what = 'path' in error && typeof error.path === 'string' ? error.path : failed
  return `${what}: ${problem}. Nothing was changed.`
}
