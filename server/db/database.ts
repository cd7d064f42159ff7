import type { Kysely, Transaction } from 'kysely'
import type { Dialect } from './dialects/dialect.ts'
import type { Tables } from './tables/tables.ts'

/** What store functions take: the database or an open transaction. */
export type Db = Kysely<Tables> | Transaction<Tables>

/** Listening for news of runs, chats and settings on other nodes. */
export interface Signals {
  close(): Promise<void>
}

/** Something of a person reads differently now. */
export interface ChangeNews {
  readonly topic: 'chat' | 'settings'
  /** The process that tells it. */
  readonly nodeId: string
  readonly userId: string
  /** The id of the chat, or the name of the list of settings. */
  readonly subject: string
}

export interface SignalListeners {
  /** Runs that have been written to, by another process or by this one. */
  onRuns(runIds: readonly number[]): void
  /** A node tells of a change; it may be this one. */
  onChange(news: ChangeNews): void
  /** The connection was broken and is made again: what was said meanwhile is lost. */
  onGap(): void
}

/** An open database with all that differs between engines. */
export interface Database {
  readonly db: Kysely<Tables>
  readonly dialect: Dialect
  /** The SQLite file, which a worker may open for reading; null on other engines. */
  readonly file: string | null
  /** News may be lost, e.g. while the connection is made again: whoever waits also looks now and then. */
  openSignals(listeners: SignalListeners): Signals
  /** Ends every connection. Open queries finish first. */
  close(): Promise<void>
}
