import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Database } from './database.ts'

/** A row whose column `tokens` has what is refreshed, and `refreshing_until` the end of the lease. */
export interface LeasedRow {
  readonly table: 'connector_grants' | 'integrations'
  readonly condition: RawBuilder<SqlBool>
  readonly tokens: string | null
}

/**
 * The lease of a process to refresh the tokens of a row, by the database's clock. `reserve` returns the time at which
 * the lease ends, or undefined when another process holds it or has replaced the tokens. `release` ends the lease that
 * lasts until that time, and none that another process has acquired since.
 */
export function refreshLease(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  { table, condition, tokens }: LeasedRow,
) {
  return {
    async reserve(leaseMs: number): Promise<number | undefined> {
      const { rows } = await sql<{ readonly refreshing_until: number }>`
        update ${sql.table(table)} set refreshing_until = ${dialect.clock} + ${leaseMs}
        where ${condition} and tokens = ${tokens}
          and (refreshing_until is null or refreshing_until < ${dialect.clock})
        returning refreshing_until`.execute(db)
      return rows[0]?.refreshing_until
    },
    async release(reservedUntil: number): Promise<void> {
      await sql`
        update ${sql.table(table)} set refreshing_until = null
        where ${condition} and refreshing_until = ${reservedUntil}`.execute(db)
    },
  }
}
