import type { ColumnDataType, CreateTableBuilder, Kysely, RawBuilder, Transaction } from 'kysely'
import type { RunEventRow, Tables } from './tables/tables.ts'

/** What store functions take: the database or an open transaction. */
export type Db = Kysely<Tables> | Transaction<Tables>

/** Listening for news of runs, chats and settings on other nodes. */
export interface Subscription {
  close(): Promise<void>
}

/** Something of a person reads differently now. */
export interface ChangeNotification {
  readonly topic: 'chat' | 'settings'
  /** The process that tells it. */
  readonly nodeId: string
  readonly userId: string
  /** The id of the chat, or the name of the list of settings. */
  readonly subject: string
}

export interface NotificationListeners {
  /** Runs that have been written to, by another process or by this one. */
  onRuns(runIds: readonly number[]): void
  /** A node tells of a change; it may be this one. */
  onChange(news: ChangeNotification): void
  /** The connection was broken and is made again: what was said meanwhile is lost. */
  onGap(): void
}

/** Everything in which SQLite and PostgreSQL differ, in one place. */
export interface Dialect {
  readonly kind: 'sqlite' | 'postgres'
  /** Whole numbers large enough for milliseconds. */
  readonly integer: ColumnDataType
  /** Holds every other migration off until this transaction ends. */
  lockMigrations(trx: Db): Promise<void>
  /** Adds a primary key that the engine counts up and never gives twice. */
  withNumber<Table extends string>(
    table: CreateTableBuilder<Table>,
    column: string,
  ): CreateTableBuilder<Table, string>
  createMessageTable(trx: Kysely<Tables>): Promise<void>
  /** Where the rows of `run_events` lie, if the engine leaves the choice. */
  storeEvents(trx: Kysely<Tables>, place: 'by key' | 'as written'): Promise<void>
  /** Builds what `chats/search-store.ts` searches. */
  createSearchIndex(trx: Kysely<Tables>): Promise<void>
  /** Milliseconds since 1970 by the database's clock: nodes compare leases with it, their own clocks may differ. */
  readonly clock: RawBuilder<number>
  /**
   * Writes events of runs and gives the runs that `nodeId` still holds; events of the others are not written. One
   * commit outside of a transaction. Writing an event twice leaves one.
   */
  appendRunEvents(db: Db, nodeId: string, events: readonly RunEventRow[]): Promise<ReadonlySet<number>>
  /** Keeps every writer of this run's events out until the transaction ends. */
  lockRun(trx: Db, runId: number): Promise<void>
  /** Wakes whoever waits for these runs on other nodes (`subscribe`). Nothing where only one process is expected. */
  notifyRuns(db: Db, runIds: readonly number[]): Promise<void>
  /** Tells other nodes of a change. */
  notifyChange(db: Db, news: ChangeNotification): Promise<void>
  isUniqueViolation(error: unknown): boolean
  /** The disk is full or the file cannot be written. */
  isStorageFull(error: unknown): boolean
}

/** An open database with all that differs between engines. */
export interface Database {
  readonly db: Kysely<Tables>
  readonly dialect: Dialect
  /** The SQLite file, which a worker may open for reading; null on other engines. */
  readonly file: string | null
  /** News may be lost, e.g. while the connection is made again: whoever waits also looks now and then. */
  subscribe(listeners: NotificationListeners): Subscription
  /** Ends every connection. Open queries finish first. */
  close(): Promise<void>
}
