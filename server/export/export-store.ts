import { type Actor, exportable, ofUser } from '../access/access.ts'
import { selectToolCalls } from '../connectors/calls/call-record-store.ts'
import type { Db } from '../db/database.ts'
import type { ToolCallRow } from '../db/tables/connector-tables.ts'
import type { ChatRow, ShareRow, UsageRecordRow, UserRow } from '../db/tables/tables.ts'
import { selectUsage } from '../usage/usage-store.ts'

/** The row of a user. Undefined when the user's data was deleted meanwhile. */
export function findUserById(db: Db, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

/** All chats of a user, deleted ones too while they can be restored, oldest first. */
export function listAllChats(db: Db, actor: Actor): Promise<ChatRow[]> {
  return db
    .selectFrom('chats')
    .selectAll()
    .where(exportable(actor, 'chats'))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export function listAllShares(db: Db, userId: string): Promise<ShareRow[]> {
  return db.selectFrom('shares').selectAll().where(ofUser(userId, 'shares')).orderBy('created_at').execute()
}

export function listAllUsage(db: Db, userId: string): Promise<UsageRecordRow[]> {
  return selectUsage(db)
    .where(ofUser(userId, 'usage_records as u'))
    .orderBy('u.time')
    .orderBy('u.id')
    .execute()
}

/** All recorded tool calls of a user, also those of connectors that were deleted, oldest first. */
export function listAllToolCalls(db: Db, userId: string): Promise<ToolCallRow[]> {
  return selectToolCalls(db)
    .where(ofUser(userId, 'tool_calls as t'))
    .orderBy('t.started_at')
    .orderBy('t.id')
    .execute()
}

/** The stored instructions, lists of tools and summaries of a user's requests, the least recently used first. */
export function listAllPromptTexts(
  db: Db,
  userId: string,
): Promise<{ readonly content: string; readonly used_at: number }[]> {
  return db
    .selectFrom('prompt_texts')
    .select(['content', 'used_at'])
    .where(ofUser(userId, 'prompt_texts'))
    .orderBy('used_at')
    .orderBy('hash')
    .execute()
}
