import { sql } from 'kysely'
import type { Database, Db } from './database.ts'

/** The first problem that SQLite finds in its file. Null when there is none. It reads the whole file. */
export async function findDamage(db: Db): Promise<string | null> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db)
  const [row] = rows
  return row === undefined || row.quick_check === 'ok' ? null : row.quick_check
}

export async function readPostgresFacts(db: Db) {
  const { rows } = await sql<{
    version: string
    encoding: string
    locale: string
    read_only: string
  }>`select current_setting('server_version_num') as version, pg_encoding_to_char(encoding) as encoding,
      coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale', datctype) as locale,
      current_setting('transaction_read_only') as read_only
    from pg_database d where datname = current_database()`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('PostgreSQL returned no facts about the database.')
  return {
    /** For example 150004. */
    version: Number(row.version),
    encoding: row.encoding,
    /** The locale that decides which characters are letters. */
    locale: row.locale,
    /** A standby, or a database that is set to read-only. */
    isReadOnly: row.read_only === 'on',
  }
}

/** Milliseconds by which the clocks of this machine and of the database differ at least, however long the query took. */
export async function readClockDifference(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  now: () => number,
): Promise<number> {
  const before = now()
  const { rows } = await sql<{ now: number | string }>`select ${dialect.clock} as now`.execute(db)
  const time = Number(rows[0]?.now)
  return Math.max(0, before - time, time - now())
}

/** A shorter difference does no harm. */
const minDifferenceMs = 2_000

/** What is wrong with such a difference and what to do; null when it does no harm. */
export function describeClockDifference(differenceMs: number): string | null {
  if (differenceMs < minDifferenceMs) return null
  return `The clocks of this machine and of the database differ by ${Math.round(differenceMs / 1_000)} s. ${clockAdvice}`
}

export const clockAdvice =
  'Set the clock, and let a service such as systemd-timesyncd or chrony keep it right.'

/** The newest time that a chat, a sign-in or a migration was stored with. Null when there is none. */
export async function findNewestTime(db: Db): Promise<number | null> {
  const { rows } = await sql<{ newest: number | string | null }>`select max(newest) as newest from (
    select max(updated_at) as newest from chats union all select max(used_at) from sign_ins
    union all select max(applied_at) from migrations) as times`.execute(db)
  const newest = rows[0]?.newest
  return newest === null || newest === undefined ? null : Number(newest)
}
