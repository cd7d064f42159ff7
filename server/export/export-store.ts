import { type Expression, sql, type SqlBool } from 'kysely'
import { type Actor, exportable, ofUser, readable } from '../access/access.ts'
import { type ListedCall, selectToolCalls } from '../connectors/calls/call-record-store.ts'
import type { Db } from '../db/database.ts'
import type {
  ChatRow,
  FileTable,
  PromptTextTable,
  QueuedMessageRow,
  ShareRow,
  UsageRecordRow,
  UserRow,
} from '../db/tables/tables.ts'
import { selectUsage } from '../usage/usage-store.ts'

/** The row of a user. Undefined when the user's data was deleted meanwhile. */
export function findUserById(db: Db, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The ids of all chats of a user, deleted ones too while they can be restored, oldest first. */
export async function listAllChatIds(db: Db, actor: Actor): Promise<string[]> {
  const rows = await db
    .selectFrom('chats')
    .select('id')
    .where(exportable(actor, 'chats'))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** One of these chats. Undefined when it was deleted meanwhile. */
export function findExportable(db: Db, actor: Actor, id: string): Promise<ChatRow | undefined> {
  return db
    .selectFrom('chats')
    .selectAll()
    .where('id', '=', id)
    .where(exportable(actor, 'chats'))
    .executeTakeFirst()
}

/** The files of a user that are in no chat: those of messages that wait, and of messages that were not sent. */
export function listFilesOfNoChat(db: Db, userId: string): Promise<Pick<FileTable, 'id' | 'type'>[]> {
  return db
    .selectFrom('user_files')
    .select(['id', 'type'])
    .where(ofUser(userId, 'user_files'))
    .where(sql<SqlBool>`not exists (select 1 from message_files where file_id = user_files.id)`)
    .orderBy('id')
    .execute()
}

/** Of a project. Undefined when it was deleted meanwhile. */
export async function findInstructions(db: Db, actor: Actor, projectId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('projects')
    .select('instructions')
    .where('id', '=', projectId)
    .where(readable(actor, 'projects'))
    .executeTakeFirst()
  return row?.instructions
}

export function listAllShares(db: Db, userId: string): Promise<ShareRow[]> {
  return db.selectFrom('shares').selectAll().where(ofUser(userId, 'shares')).orderBy('created_at').execute()
}

/** Rows of one query. Prompts have fewer, because each may be long. */
const maxRows = 500
const maxTexts = 10
const maxQueued = 100

/** Reads rows in pages, each with those after the last one of the page before. */
async function* inPages<Row>(
  max: number,
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let last: Row | undefined; ;) {
    const rows = await read(last)
    yield* rows
    last = rows.at(-1)
    if (rows.length < max) return
  }
}

/** All usage records of a user, oldest first. */
export function readAllUsage(db: Db, userId: string): AsyncGenerator<UsageRecordRow> {
  return inPages(maxRows, (last) =>
    selectUsage(db)
      .where(ofUser(userId, 'usage_records as u'))
      .where(after(last && sql<SqlBool>`(u.time, u.id) > (${last.time}, ${last.id})`))
      .orderBy('u.time')
      .orderBy('u.id')
      .limit(maxRows)
      .execute(),
  )
}

/** All recorded tool calls of a user, also those of connectors that were deleted, each connector's oldest first. */
export function readAllToolCalls(db: Db, userId: string): AsyncGenerator<ListedCall> {
  return inPages(maxRows, (last) =>
    selectToolCalls(db, { id: userId })
      .where(ofUser(userId, 'tool_calls as t'))
      .where(
        after(
          last &&
            sql<SqlBool>`(t.connector_id, t.started_at, t.id) > (${last.connector_id}, ${last.started_at}, ${last.id})`,
        ),
      )
      .orderBy('t.connector_id')
      .orderBy('t.started_at')
      .orderBy('t.id')
      .limit(maxRows)
      .execute(),
  )
}

/** All messages that wait in chats of a user, in the order of sending. `bot` is null when it was deleted. */
export function readAllQueued(
  db: Db,
  userId: string,
): AsyncGenerator<QueuedMessageRow & { readonly bot: string | null }> {
  return inPages(maxQueued, (last) =>
    db
      .selectFrom('queued_messages as q')
      .leftJoin('bots as b', 'b.id', 'q.bot_id')
      .selectAll('q')
      .select('b.name as bot')
      .where(ofUser(userId, 'queued_messages as q'))
      .where(
        after(
          last &&
            sql<SqlBool>`(q.chat_id, q.position, q.id) > (${last.chat_id}, ${last.position}, ${last.id})`,
        ),
      )
      .orderBy('q.chat_id')
      .orderBy('q.position')
      .orderBy('q.id')
      .limit(maxQueued)
      .execute(),
  )
}

/** The stored instructions, lists of tools and summaries of a user's requests, in the order of their hashes. */
export function readAllPromptTexts(
  db: Db,
  userId: string,
): AsyncGenerator<Pick<PromptTextTable, 'hash' | 'content' | 'used_at'>> {
  return inPages(maxTexts, (last) =>
    db
      .selectFrom('prompt_texts')
      .select(['hash', 'content', 'used_at'])
      .where(ofUser(userId, 'prompt_texts'))
      .where(after(last && sql<SqlBool>`hash > ${last.hash}`))
      .orderBy('hash')
      .limit(maxTexts)
      .execute(),
  )
}

/** The condition for a page; of the first one, that of all rows. */
const after = (condition: Expression<SqlBool> | undefined): Expression<SqlBool> =>
  condition ?? sql<SqlBool>`1 = 1`
