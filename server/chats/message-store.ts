import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { MessageRow, MessageTable } from '../db/tables.ts'

/** A message to append; the place in the tree and the time are given by `appendMessage`. */
export type NewMessage = Pick<Selectable<MessageTable>, 'chat_id' | 'id' | 'role' | 'content' | 'status'> &
  Partial<Pick<Selectable<MessageTable>, 'model' | 'bot' | 'server' | 'tool' | 'outcome'>>

/** What becomes of a reply when its run ends. */
export type MessageChange = Partial<
  Pick<
    MessageRow,
    | 'content'
    | 'reasoning'
    | 'status'
    | 'error_code'
    | 'error_message'
    | 'model'
    | 'provider'
    | 'usage'
    | 'finish'
    | 'server'
    | 'tool'
    | 'arguments'
    | 'call_state'
    | 'call'
    | 'notice'
  >
>

/** How long a path to a model may be, in messages: reading it then costs the same in a chat of any length. */
export const longestPath = 1_000

/**
 * Appends a message under `parent`, later than every other one of its chat, whose latest time the caller may know. The
 * caller holds the chat (`lockChat`).
 */
export async function appendMessage(
  trx: Db,
  message: NewMessage,
  parent: Pick<MessageRow, 'id' | 'first_id' | 'second_id'> | null,
  now: number,
  latest?: number,
): Promise<MessageRow> {
  return trx
    .insertInto('messages')
    .values({
      ...message,
      parent_id: parent?.id ?? null,
      first_id: parent?.first_id ?? message.id,
      second_id: parent === null ? null : (parent.second_id ?? message.id),
      unix_timestamp: latest === undefined ? afterLatest(message.chat_id, now) : Math.max(now, latest + 1),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The time of a chat's latest message; 0 without one. */
export async function findLatestTime(db: Db, chatId: string): Promise<number> {
  const row = await db
    .selectFrom('messages')
    .select('unix_timestamp')
    .where('chat_id', '=', chatId)
    .orderBy('unix_timestamp', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.unix_timestamp ?? 0
}

/** `now`, or the time after the chat's latest message when that is later. */
function afterLatest(chatId: string, now: number) {
  return sql<number>`coalesce((
    select case when unix_timestamp < ${now} then ${now} else unix_timestamp + 1 end
    from messages where chat_id = ${chatId} order by unix_timestamp desc limit 1), ${now})`
}

export function findMessage(db: Db, chatId: string, id: string): Promise<MessageRow | undefined> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('chat_id', '=', chatId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** What a message below another one must know of it. */
export function findPlace(
  db: Db,
  chatId: string,
  id: string,
): Promise<Pick<MessageRow, 'id' | 'first_id' | 'second_id'>> {
  return db
    .selectFrom('messages')
    .select(['id', 'first_id', 'second_id'])
    .where('chat_id', '=', chatId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** Whether a bot's reply in this chat carries a notice. */
export async function hasNotice(db: Db, chatId: string, bot: string): Promise<boolean> {
  const row = await db
    .selectFrom('messages')
    .select('id')
    .where('chat_id', '=', chatId)
    .where('bot', '=', bot)
    .where('notice', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The replies to a message, oldest first. */
export function listReplies(db: Db, chatId: string, parentId: string): Promise<MessageRow[]> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('chat_id', '=', chatId)
    .where('parent_id', '=', parentId)
    .orderBy('unix_timestamp')
    .execute()
}

/** The whole tree of a chat, oldest first. */
export function listMessages(db: Db, chatId: string): Promise<MessageRow[]> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('chat_id', '=', chatId)
    .orderBy('unix_timestamp')
    .execute()
}

/** The branches of a chat without their texts, oldest first. */
export function listNodes(db: Db, chatId: string): Promise<Pick<MessageRow, 'id' | 'parent_id'>[]> {
  return db
    .selectFrom('messages')
    .select(['id', 'parent_id'])
    .where('chat_id', '=', chatId)
    .orderBy('unix_timestamp')
    .execute()
}

/** A message of the path to a model. */
export type PathMessage = Pick<
  MessageRow,
  'id' | 'role' | 'content' | 'status' | 'server' | 'arguments' | 'call_state' | 'call'
>

/** The newest `limit` messages on the way from the root to a message, oldest first. */
export async function listPath(
  db: Db,
  chatId: string,
  leafId: string,
  limit = longestPath,
): Promise<PathMessage[]> {
  const { rows } = await sql<PathMessage>`
    with recursive path (id, parent_id, role, content, status, server, arguments, call_state, call, depth) as (
      select id, parent_id, role, content, status, server, arguments, call_state, call, 1
      from messages where chat_id = ${chatId} and id = ${leafId}
      union all
      select m.id, m.parent_id, m.role, m.content, m.status, m.server, m.arguments, m.call_state, m.call,
        path.depth + 1
      from path join messages m on m.chat_id = ${chatId} and m.id = path.parent_id
      where path.depth < ${limit}
    )
    select id, role, content, status, server, arguments, call_state, call from path order by depth desc`.execute(
    db,
  )
  return rows
}

/** The whole way from the root to a message, oldest first; empty when the message is not there. */
export async function listWholePath(db: Db, chatId: string, leafId: string): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    with recursive path (id, parent_id, depth) as (
      select id, parent_id, 1 from messages where chat_id = ${chatId} and id = ${leafId}
      union all
      select m.id, m.parent_id, path.depth + 1
      from path join messages m on m.chat_id = ${chatId} and m.id = path.parent_id
    )
    select m.* from path join messages m on m.chat_id = ${chatId} and m.id = path.id
    order by path.depth desc`.execute(db)
  return rows
}

export async function updateMessage(
  db: Db,
  chatId: string,
  id: string,
  change: MessageChange,
): Promise<void> {
  await db.updateTable('messages').set(change).where('chat_id', '=', chatId).where('id', '=', id).execute()
}
