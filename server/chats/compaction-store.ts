import { sql } from 'kysely'
import type { Database, Db, Dialect } from '../db/database.ts'
import { prepareQuery } from '../db/dialects/prepare-query.ts'
import type { CompactionRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'

/*
 * The summaries of a chat's older messages. The queries name no owner: callers have checked it (`requireChat`), or
 * write a run of the chat. Every query names the chat, so that the id of a summary of another chat finds nothing.
 */

/** Selects summaries `s`, with today's name of the bot, or the stored one of a deleted bot. */
function selectCompactions(db: Db) {
  return db
    .selectFrom('compactions as s')
    .leftJoin('bots as b', 'b.id', 's.bot_id')
    .select(['s.id', 's.chat_id', 's.message_id', 's.message_count', 's.content', 's.bot_id'])
    .select(({ fn }) => fn.coalesce('b.name', 's.bot').as('bot'))
    .select(['s.model', 's.edited', 's.written_at', 's.held_until'])
}

/** Returns the summaries of a chat, oldest first. */
export function listCompactions(db: Db, chatId: string): Promise<CompactionRow[]> {
  return selectCompactions(db)
    .where('s.chat_id', '=', chatId)
    .orderBy('s.written_at')
    .orderBy('s.id')
    .execute()
}

const compactionAtQuery = prepareQuery((db, place: { readonly chatId: string; readonly messageId: string }) =>
  selectCompactions(db)
    .where('s.chat_id', '=', place.chatId)
    .where('s.message_id', '=', place.messageId)
    .compile(),
)

/** Returns the summary that ends with a message. */
export async function findCompactionAt(
  db: Db,
  chatId: string,
  messageId: string,
): Promise<CompactionRow | undefined> {
  return (await compactionAtQuery(db, { chatId, messageId })).rows[0]
}

/** Stores a summary. It replaces another one that ends with the same message. */
export async function saveCompaction(trx: Db, compaction: CompactionRow): Promise<void> {
  await trx
    .deleteFrom('compactions')
    .where('chat_id', '=', compaction.chat_id)
    .where('message_id', '=', compaction.message_id)
    .execute()
  await trx.insertInto('compactions').values(compaction).execute()
}

/** @throws AppError `not_found` */
export async function requireCompaction(db: Db, chatId: string, id: string): Promise<CompactionRow> {
  const row = await selectCompactions(db)
    .where('s.chat_id', '=', chatId)
    .where('s.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) throw noSuchCompaction()
  return row
}

/** The condition for a summary that no request is rewriting. */
function isFree({ clock }: Dialect) {
  return sql<boolean>`(held_until is null or held_until <= ${clock})`
}

/**
 * Changes the text of a summary. Returns false when a request is rewriting it, when it was not written at the time
 * `seen`, which means that it has changed since, or when it is missing.
 */
export async function updateCompaction(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  { chat_id, id }: Pick<CompactionRow, 'chat_id' | 'id'>,
  change: Pick<CompactionRow, 'content' | 'edited' | 'written_at' | 'held_until'>,
  seen?: CompactionRow['written_at'],
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('compactions')
    .set(change)
    .where('chat_id', '=', chat_id)
    .where('id', '=', id)
    .where(isFree(dialect))
    .$if(seen !== undefined, (update) => update.where('written_at', '=', seen ?? 0))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Reserves a summary for one request that rewrites it, for `leaseMs` by the database's clock. Returns the end of the
 * reservation, which identifies it. Returns null when another request has reserved the summary, or when it is
 * missing.
 */
export async function holdCompaction(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  { chat_id, id }: Pick<CompactionRow, 'chat_id' | 'id'>,
  leaseMs: number,
): Promise<number | null> {
  const row = await db
    .updateTable('compactions')
    .set({ held_until: sql<number>`${dialect.clock} + ${leaseMs}` })
    .where('chat_id', '=', chat_id)
    .where('id', '=', id)
    .where(isFree(dialect))
    .returning('held_until')
    .executeTakeFirst()
  return row?.held_until ?? null
}

/**
 * Ends the reservation of a summary, which `until` identifies, and stores its rewritten text if there is one. Returns
 * false when the summary is gone, or when the reservation expired and another request has changed or reserved it since.
 */
export async function endHold(
  db: Db,
  { chat_id, id }: Pick<CompactionRow, 'chat_id' | 'id'>,
  until: number,
  rewritten: Partial<CompactionRow> = {},
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('compactions')
    .set({ ...rewritten, held_until: null })
    .where('chat_id', '=', chat_id)
    .where('id', '=', id)
    .where('held_until', '=', until)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Deletes a summary. @throws AppError `not_found` */
export async function deleteCompaction(db: Db, chatId: string, id: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('compactions')
    .where('chat_id', '=', chatId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw noSuchCompaction()
}

function noSuchCompaction(): AppError {
  return new AppError('not_found', 'There is no such summary in this chat. Reload the page.')
}
