import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import { findDamage, readPostgresFacts } from '../../db/inspect-database.ts'
import { describeOtherVersion, countAppliedMigrations } from '../../db/migrate.ts'
import { checkDatabase, openStoredDatabase, sqliteFileName } from '../../db/open-database.ts'
import { AppError } from '../../lib/app-error.ts'
import { errorCode } from '../../lib/describe-error.ts'
import {
  reportUnchecked,
  messageOf,
  ok,
  problem,
  reasonOf,
  warning,
  type Check,
  type Report,
} from './finding.ts'

const minPostgresVersion = 15

/** The database: that it can be reached and written, its version, its migrations and the state of its file. */
export const databaseCheck: Check = {
  name: 'database',
  async run(context) {
    const { config, progress } = context
    const unchecked = reportUnchecked(context, ['DATABASE_URL'])
    if (unchecked.length > 0) return unchecked
    if (config.databaseUrl === null && !existsSync(join(config.dataDir, sqliteFileName)))
      return [warning(`There is no database in ${config.dataDir} yet. The first start creates it.`)]
    let database: Database
    try {
      database = await openStoredDatabase(config)
    } catch (error) {
      return [problem(describeOpenError(error))]
    }
    let isUsable = false
    try {
      const findings =
        database.dialect.kind === 'sqlite'
          ? await examineSqlite(database, progress)
          : await examinePostgres(database, config)
      if (findings.some(({ status }) => status === 'problem')) return findings
      const applied = await countAppliedMigrations(database)
      const other = describeOtherVersion(applied)
      // A new database is empty before the first start.
      if (other !== null) return [...findings, applied === 0 ? warning(other) : problem(other)]
      isUsable = true
      return findings
    } catch (error) {
      // A database from before the first release.
      if (error instanceof AppError) return [problem(error.message)]
      throw error
    } finally {
      // Later checks would fail for the same reason.
      if (isUsable) context.database = database
      else await database.close()
    }
  },
}

/** The error of opening the SQLite file, with what to do about it. */
function describeOpenError(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = errorCode(cause)
  if (!code.startsWith('SQLITE_')) return messageOf(error)
  return `${messageOf(error)}. ${adviceFor(code)}`
}

function adviceFor(code: string): string {
  if (isDamage(code)) return 'Restore a backup.'
  return /^SQLITE_(BUSY|LOCKED)/.test(code)
    ? 'Stop the process that has locked it, or wait until it ends.'
    : 'Check that this user can read and write it.'
}

const isDamage = (code: string): boolean => /^SQLITE_(NOTADB|CORRUPT)/.test(code)

async function examineSqlite(database: Database, progress: (text: string) => void): Promise<Report[]> {
  progress('Checking: the whole file of the database')
  const damage = await findDamage(database.db).catch((error: unknown) => {
    if (isDamage(errorCode(error))) return messageOf(error)
    throw error
  })
  if (damage !== null)
    return [
      problem(
        `The file of the database is damaged (${damage.split('\n')[0]}). Stop the server, keep a copy of the file, and restore a backup.`,
      ),
    ]
  const writeProblems = await findWriteProblems(database)
  return writeProblems ?? [ok('The SQLite file is not damaged and can be written.')]
}

async function findWriteProblems(database: Database): Promise<Report[] | null> {
  try {
    await checkDatabase(database)
    return null
  } catch (error) {
    return [problem(`${messageOf(error)} (${reasonOf(error)})`)]
  }
}

async function examinePostgres(database: Database, { databaseUrl }: Config): Promise<Report[]> {
  const { host, pathname } = new URL(databaseUrl ?? '')
  const writeProblems = await findWriteProblems(database)
  if (writeProblems !== null)
    return writeProblems.map(({ message }) =>
      problem(`PostgreSQL at ${host}${pathname} (DATABASE_URL): ${message}`),
    )
  const { version, encoding, locale, isReadOnly } = await readPostgresFacts(database.db)
  const major = Math.floor(version / 10_000)
  const findings = [
    ...(major < minPostgresVersion
      ? [problem(`PostgreSQL ${major} is too old. Upgrade it to ${minPostgresVersion} or newer.`)]
      : []),
    ...(encoding === 'UTF8'
      ? []
      : [problem(`The encoding of the database is ${encoding}. Create it again with the encoding UTF8.`)]),
    ...(/^(C|POSIX)$/i.test(locale)
      ? [
          warning(
            `The locale of the database is ${locale}, so the search distinguishes letters outside of ASCII by case. Create it again with another locale, such as C.UTF-8.`,
          ),
        ]
      : []),
    ...(isReadOnly
      ? [
          problem(
            'The database is read-only. If it is a standby, connect to the primary server. Otherwise turn off default_transaction_read_only.',
          ),
        ]
      : []),
  ]
  return findings.length > 0 ? findings : [ok(`PostgreSQL ${major} at ${host}${pathname} can be used.`)]
}
