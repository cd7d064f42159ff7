import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { withHost } from '../../config/setting-values.ts'
import { describeConnectionRisk } from '../../db/connection-security.ts'
import type { Database } from '../../db/database.ts'
import { findDamage, readPostgresFacts } from '../../db/inspect-database.ts'
import { describeOtherVersion, countAppliedMigrations, isTableMissing } from '../../db/migrate.ts'
import { checkDatabase, openStoredDatabase, sqliteFileName } from '../../db/open-database.ts'
import { AppError } from '../../lib/app-error.ts'
import { errorCode } from '../../lib/describe-error.ts'
import { messageOf, reasonOf, type Check, type CheckContext, type Report } from './finding.ts'

const minPostgresVersion = 15

/** The database: that it can be reached and written, its version, its migrations and the state of its file. */
export const databaseCheck: Check = {
  name: 'database',
  settings: ['DATABASE_URL'],
  async run(context, report) {
    const { config } = context
    if (config.databaseUrl === null && !existsSync(join(config.dataDir, sqliteFileName))) {
      report.warning(`There is no database in ${config.dataDir} yet. The first start creates it.`)
      return undefined
    }
    let database: Database
    try {
      database = await openStoredDatabase(config)
    } catch (error) {
      report.problem(messageOf(error))
      return undefined
    }
    try {
      // Later checks would fail for the same reason.
      if (await isUsable(database, context, report)) context.database = database
    } catch (error) {
      // A database from before the first release.
      if (!(error instanceof AppError)) throw error
      report.problem(error.message)
    } finally {
      if (context.database === null) await database.close()
    }
    return undefined
  },
}

async function isUsable(database: Database, context: CheckContext, report: Report): Promise<boolean> {
  const works =
    database.dialect.kind === 'sqlite'
      ? await examineSqlite(database, context, report)
      : await examinePostgres(database, context.config, report)
  if (!works) return false
  const applied = await countAppliedMigrations(database)
  const other = describeOtherVersion(applied)
  if (other === null) return true
  // A new database is empty before the first start.
  if (applied === 0) report.warning(other)
  else report.problem(other)
  return false
}

const isDamage = (code: string): boolean => /^SQLITE_(NOTADB|CORRUPT)/.test(code)

async function examineSqlite(
  database: Database,
  { progress }: CheckContext,
  report: Report,
): Promise<boolean> {
  progress('Checking: the whole file of the database')
  const damage = await findDamage(database.db).catch((error: unknown) => {
    if (isDamage(errorCode(error))) return messageOf(error)
    throw error
  })
  const problem =
    damage === null
      ? await findWriteProblem(database)
      : `The file of the database is damaged (${damage.split('\n')[0]}). Stop the server, keep a copy of the file, and restore a backup.`
  if (problem === null) report.ok('The SQLite file is not damaged and can be written.')
  else report.problem(problem)
  return problem === null
}

async function findWriteProblem(database: Database): Promise<string | null> {
  try {
    await checkDatabase(database)
    return null
  } catch (error) {
    if (error instanceof Error && isTableMissing(error.cause)) return null
    return `${messageOf(error)} (${reasonOf(error)})`
  }
}

async function examinePostgres(
  database: Database,
  { databaseUrl }: Config,
  report: Report,
): Promise<boolean> {
  const { host, pathname } = new URL(withHost(databaseUrl ?? ''))
  const risk = await describeConnectionRisk(databaseUrl)
  if (risk !== null) report.warning(risk.message)
  const writeProblem = await findWriteProblem(database)
  if (writeProblem !== null) {
    report.problem(`PostgreSQL at ${host}${pathname} (DATABASE_URL): ${writeProblem}`)
    return false
  }
  const { version, encoding, locale, isReadOnly } = await readPostgresFacts(database.db)
  const major = Math.floor(version / 10_000)
  const isOld = major < minPostgresVersion
  const isUtf8 = encoding === 'UTF8'
  const isAscii = /^(C|POSIX)$/i.test(locale)
  if (isOld) report.problem(`PostgreSQL ${major} is too old. Upgrade it to ${minPostgresVersion} or newer.`)
  if (!isUtf8)
    report.problem(`The encoding of the database is ${encoding}. Create it again with the encoding UTF8.`)
  if (isAscii)
    report.warning(
      `The locale of the database is ${locale}, so the search distinguishes letters outside of ASCII by case. Create it again with another locale, such as C.UTF-8.`,
    )
  if (isReadOnly)
    report.problem(
      'The database is read-only. If it is a standby, connect to the primary server. Otherwise turn off default_transaction_read_only.',
    )
  const works = !isOld && isUtf8 && !isReadOnly
  const { receivesNotifications } = await import('../../db/dialects/postgres.ts')
  const listens = !works || (await receivesNotifications(databaseUrl ?? ''))
  if (!listens)
    report.warning(
      'Notifications of PostgreSQL do not arrive, as behind a pooler in transaction mode. Yonder works, but replies and changes of other servers appear up to a second later. Connect DATABASE_URL to PostgreSQL itself, or set the pool mode to session.',
    )
  if (works && !isAscii && listens) report.ok(`PostgreSQL ${major} at ${host}${pathname} can be used.`)
  return works
}
