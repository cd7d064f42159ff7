import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

/** Returns the number of connections to PostgreSQL that wait for a lock of this transaction. */
export async function countWaiting(trx: Db): Promise<number> {
  const { rows } = await sql`
    select distinct pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`.execute(
    trx,
  )
  return rows.length
}
