import type { Kysely, Transaction } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Tables } from './tables.ts'

/** What store functions take: the database or an open transaction. */
export type Db = Kysely<Tables> | Transaction<Tables>

/** An open database with all that differs between engines. */
export interface Database {
  readonly db: Kysely<Tables>
  readonly dialect: Dialect
  /** Ends every connection. Open queries finish first. */
  close(): Promise<void>
}
