import { existsSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Database } from '../../server/db/database.ts'

/**
 * Returns a clock of the CPU milliseconds that this process and, with PostgreSQL on the same Linux machine, its
 * connections have used.
 */
export async function openCpuClock({ db, dialect }: Database): Promise<() => number> {
  const paths =
    dialect.kind === 'sqlite'
      ? []
      : (
          await sql<{ pid: number }>`
            select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`.execute(
            db,
          )
        ).rows.map(({ pid }) => `/proc/${pid}/schedstat`)
  const files = paths.filter((path) => existsSync(path))
  return () => {
    const { user, system } = process.cpuUsage()
    const nanoseconds = files.map((path) => Number(readFileSync(path, 'utf8').split(' ')[0]))
    return (user + system) / 1000 + nanoseconds.reduce((sum, each) => sum + each, 0) / 1_000_000
  }
}
