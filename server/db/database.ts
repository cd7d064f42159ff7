import type { Kysely, RawBuilder, Transaction } from 'kysely'
import type { FileBytes } from './files/file-bytes.ts'
import type { RunEventRow, Tables } from './tables/tables.ts'

/** The first parameter of store functions: the database or an open transaction. */
export type Db = Kysely<Tables> | Transaction<Tables>

/** A subscription to the notifications of all nodes, this one included, about runs, chats and settings. */
export interface Subscription {
  close(): Promise<void>
}

/** Data of a user changed. */
export interface ChangeNotification {
  readonly topic: 'chat' | 'list' | 'settings'
  /** The process that sent the notification. */
  readonly nodeId: string
  readonly userId: string
  /** The id of the chat; the ids of chats of which lists show something else, with spaces; or the name of a list. */
  readonly subject: string
}

export interface NotificationListeners {
  /** Runs have new events, answers to elicitations or requests to stop, written by any process, this one included. */
  onRuns(runIds: readonly number[]): void
  /** A node reported a change. It may be this one. */
  onChange(change: ChangeNotification): void
  /** The connection works again after an interruption, in which notifications may have been lost. */
  onGap(): void
}

/** Most of what differs between SQLite and PostgreSQL. */
export interface Dialect {
  readonly kind: 'sqlite' | 'postgres'
  /** The type of integer columns. It can hold milliseconds since 1970. */
  readonly integer: 'integer' | 'bigint'
  /** The type of a primary key that the engine increments and never reuses. */
  readonly incrementingKey: string
  /** Makes other migrations wait until this transaction ends. */
  lockMigrations(trx: Db): Promise<void>
  /**
   * Keeps servers from starting until the transaction ends. Returns false when one uses the database (`openNode`).
   * Returns true on SQLite, where `lockDataFolder` keeps servers out.
   */
  lockOutServers(trx: Db): Promise<boolean>
  /** Reserves the deletion of chats for this transaction. Returns false when another node has reserved it. */
  lockPurge(trx: Db): Promise<boolean>
  /** SQL that begins a transaction which only reads, and sees the data of one moment. */
  readonly beginSnapshotSql: string
  /** The statements that create the tables, indexes and triggers of the search in messages. */
  readonly searchIndexSchema: readonly string[]
  /** The statements that queue the messages that were indexed before `foldText` folded more than case. */
  readonly searchAgainSql: readonly string[]
  /** The statements that leave it to `mergeIndex` when parts of the index of the search are merged. */
  readonly searchMergeSql: readonly string[]
  /**
   * Milliseconds since 1970 by the database's clock. Leases are measured with it, because the clocks of nodes may
   * differ.
   */
  readonly clock: RawBuilder<number>
  /**
   * The end of a statement that selects the ids of chats: it locks them, in the order of their bytes, until the
   * transaction ends. Nothing on SQLite, where one transaction writes at a time.
   */
  readonly lockInOrder: RawBuilder<unknown>
  /**
   * The end of a statement that selects rows of one table: nobody changes them, or refers to them, until the transaction
   * ends. Nothing on SQLite.
   */
  readonly lockRows: RawBuilder<unknown>
  /**
   * Writes the events of the runs that `nodeId` still holds, and returns the ids of these runs. Other events are not
   * written, and a repeated event is written once. Outside a transaction, this is one commit.
   */
  appendRunEvents(db: Db, nodeId: string, events: readonly RunEventRow[]): Promise<ReadonlySet<number>>
  /** Makes every writer of this run's events wait until the transaction ends. */
  lockRun(trx: Db, runId: number): Promise<void>
  /**
   * Notifies the subscribers of all nodes about these runs. They must be few, because they share one notification. Does
   * nothing on SQLite, which has one server.
   */
  notifyRuns(db: Db, runIds: readonly number[]): Promise<void>
  /** Notifies all nodes of a change, this one included. Does nothing on SQLite. */
  notifyChange(db: Db, change: ChangeNotification): Promise<void>
  isUniqueViolation(error: unknown): boolean
}

/** An open database and its dialect. */
export interface Database {
  readonly db: Kysely<Tables>
  readonly dialect: Dialect
  /** The path of the SQLite file, which a worker may open for reading. Null on PostgreSQL. */
  readonly file: string | null
  /** The bytes of the files of users. */
  readonly bytes: FileBytes
  /**
   * Makes a small write that changes nothing, and rejects when the database did not store it within `maxMs`, or has no
   * space for more.
   */
  check(maxMs: number): Promise<void>
  /**
   * Notifications may be lost, for example while the connection is interrupted, so readers of runs also poll. On
   * SQLite there are no notifications.
   */
  subscribe(listeners: NotificationListeners): Subscription
  /** Ends every connection except those of subscriptions. Open queries finish first. */
  close(): Promise<void>
}
