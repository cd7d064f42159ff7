import type { Kysely, Transaction } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Tables } from './tables.ts'

/** What store functions take: the database or an open transaction. */
export type Db = Kysely<Tables> | Transaction<Tables>

/** Listening for news of runs on other nodes. */
export interface Signals {
  close(): Promise<void>
}

/** An open database with all that differs between engines. */
export interface Database {
  readonly db: Kysely<Tables>
  readonly dialect: Dialect
  /** The SQLite file, which a worker may open for reading; null on other engines. */
  readonly file: string | null
  /**
   * Calls `onWake` with the ids of runs that another process has written to. News may be lost, e.g. while the connection
   * is made again: whoever waits also looks now and then.
   */
  openSignals(onWake: (runIds: readonly string[]) => void): Signals
  /** Ends every connection. Open queries finish first. */
  close(): Promise<void>
}
