import { sql } from 'kysely'
import { type Actor, changeable, ofUser, ownedBy, readable } from '../access/access.ts'
import type { Database, Db, Dialect } from '../db/database.ts'
import type { TransferRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'

/** A file of a transfer, in the column `files`. */
export interface TransferFile {
  /** Of its bytes; null while they are not here. */
  readonly id: string | null
  readonly name: string
  /** In bytes. */
  readonly size: number
}

export const filesOf = ({ files }: Pick<TransferRow, 'files'>): readonly TransferFile[] =>
  JSON.parse(files) as TransferFile[]

/** The states in which a node works on a transfer. */
export const workingStates = ['running', 'reading'] as const
type WorkingState = (typeof workingStates)[number]

/** A transfer that a node works on, and the lease under which it does. */
export interface WorkingTransfer extends TransferRow {
  readonly state: WorkingState
}

export function listTransfers(db: Db, actor: Actor): Promise<TransferRow[]> {
  return db.selectFrom('transfers').selectAll().where(readable(actor, 'transfers')).execute()
}

/** @throws AppError `not_found` */
export async function requireTransfer(
  db: Db,
  actor: Actor,
  { id, kind }: Pick<TransferRow, 'id' | 'kind'>,
): Promise<TransferRow> {
  const row = await db
    .selectFrom('transfers')
    .selectAll()
    .where('id', '=', id)
    .where('kind', '=', kind)
    .where(readable(actor, 'transfers'))
    .executeTakeFirst()
  if (row === undefined) throw new AppError('not_found', `There is no such ${kind}.`)
  return row
}

/**
 * Inserts a transfer in place of the user's last one of this kind, whose files are deleted.
 * @throws AppError `conflict` when that one is still worked on
 */
export async function insertTransfer(
  db: Db,
  actor: Actor,
  transfer: Pick<TransferRow, 'id' | 'kind' | 'state' | 'files' | 'created_at'>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const last = await trx
      .deleteFrom('transfers')
      .where('kind', '=', transfer.kind)
      .where('state', 'not in', workingStates)
      .where(changeable(actor, 'transfers'))
      .returning('files')
      .execute()
    for (const row of last) await releaseFiles(trx, filesOf(row))
    const { numInsertedOrUpdatedRows: inserted } = await trx
      .insertInto('transfers')
      .values({ ...transfer, ...ownedBy(actor), ...nothingDone })
      .onConflict((conflict) => conflict.columns(['user_id', 'kind']).doNothing())
      .executeTakeFirst()
    if (inserted !== 1n)
      throw new AppError('conflict', `Another ${transfer.kind} is running. Wait for it, or cancel it.`)
  })
}

const nothingDone = {
  options: null,
  report: null,
  error: null,
  done: 0,
  total: null,
  ended_at: null,
  lease_until: 0,
}

/** Lets the bytes of files be deleted. */
async function releaseFiles(trx: Db, files: readonly TransferFile[]): Promise<void> {
  const ids = files.flatMap(({ id }) => id ?? [])
  if (ids.length > 0)
    await trx.updateTable('unused_bytes').set({ since: 0 }).where('file_id', 'in', ids).execute()
}

/** Changes a transfer that is in this state. Returns false when it is in another one. */
export async function changeTransfer(
  db: Db,
  { id, state }: Pick<TransferRow, 'id' | 'state'>,
  change: Partial<Omit<TransferRow, 'id' | 'user_id' | 'kind'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('transfers')
    .set(change)
    .where('id', '=', id)
    .where('state', '=', state)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Stores the id of the bytes of a file, and returns the files of the transfer, or undefined when they have arrived
 * already, or the transfer waits for none any more.
 */
export function addUpload(
  db: Db,
  { id }: Pick<TransferRow, 'id'>,
  number: number,
  fileId: string,
): Promise<readonly TransferFile[] | undefined> {
  return db.transaction().execute(async (trx) => {
    // Locks the row, for uploads at once.
    const row = await trx
      .updateTable('transfers')
      .set(({ ref }) => ({ state: ref('state') }))
      .where('id', '=', id)
      .where('state', '=', 'uploading')
      .returning('files')
      .executeTakeFirst()
    const before = row === undefined ? [] : filesOf(row)
    if (before[number]?.id !== null) return undefined
    const files = before.map((file, index) => (index === number ? { ...file, id: fileId } : file))
    const isComplete = files.every((file) => file.id !== null)
    await trx
      .updateTable('transfers')
      .set({ files: JSON.stringify(files), ...(isComplete && { state: 'reading' }) })
      .where('id', '=', id)
      .execute()
    return files
  })
}

/** Cancels a transfer that has not ended. Its files are deleted. */
export async function cancelTransfer(db: Db, { id }: Pick<TransferRow, 'id'>, now: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('transfers')
      .set({ state: 'cancelled', ended_at: now })
      .where('id', '=', id)
      .where('state', 'in', ['uploading', 'ready', ...workingStates])
      .returning('files')
      .executeTakeFirst()
    if (row !== undefined) await releaseFiles(trx, filesOf(row))
  })
}

/** Deletes the transfers of a user. Their bytes can be deleted then. */
export async function deleteTransfersOfUser(db: Db, userId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const rows = await trx
      .deleteFrom('transfers')
      .where(ofUser(userId, 'transfers'))
      .returning('files')
      .execute()
    for (const row of rows) await releaseFiles(trx, filesOf(row))
  })
}

/** Deletes transfers from before this time, whose bytes are deleted by themselves. */
export async function deleteOldTransfers(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('transfers')
    .where('created_at', '<', before)
    .where('state', 'not in', workingStates)
    .execute()
}

/**
 * Leases a transfer that no living node works on, or undefined. Two nodes never get the same one.
 */
export async function leaseTransfer(
  { db, dialect: { clock } }: Pick<Database, 'db' | 'dialect'>,
  leaseMs: number,
): Promise<WorkingTransfer | undefined> {
  const { rows } = await sql<WorkingTransfer>`
    update transfers set lease_until = ${clock} + ${sql.lit(leaseMs)}
    where id = (select id from transfers where state in ('running', 'reading') and lease_until < ${clock}
      order by lease_until, id limit 1) and lease_until < ${clock}
    returning *`.execute(db)
  return rows[0]
}

/**
 * Renews a lease, and stores how far the work is. Returns undefined when the transfer was cancelled, deleted or leased by
 * another node.
 */
export async function renewLease(
  { db, dialect: { clock } }: { readonly db: Db; readonly dialect: Pick<Dialect, 'clock'> },
  { id, state, lease_until }: Pick<TransferRow, 'id' | 'state' | 'lease_until'>,
  { leaseMs, done, total }: { readonly leaseMs: number } & Pick<TransferRow, 'done' | 'total'>,
): Promise<number | undefined> {
  const { rows } = await sql<Pick<TransferRow, 'lease_until'>>`
    update transfers set lease_until = ${clock} + ${sql.lit(leaseMs)}, done = ${done}, total = ${total}
    where id = ${id} and state = ${state} and lease_until = ${lease_until}
    returning lease_until`.execute(db)
  return rows[0]?.lease_until
}

/** Ends a lease: with what the work has come to, or so that another node goes on at once. */
export async function endLease(
  db: Db,
  { id, state, lease_until }: Pick<TransferRow, 'id' | 'state' | 'lease_until'>,
  change: Partial<Pick<TransferRow, 'state' | 'files' | 'report' | 'error' | 'done' | 'total' | 'ended_at'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('transfers')
    .set({ ...change, lease_until: 0 })
    .where('id', '=', id)
    .where('state', '=', state)
    .where('lease_until', '=', lease_until)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
