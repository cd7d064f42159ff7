import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { prepareQuery } from '../db/dialects/prepare-query.ts'
import type { MessageRow, MessageTable } from '../db/tables/tables.ts'

/** A message to append; the place in the tree and the time are given by `appendMessage`. */
export type NewMessage = Pick<Selectable<MessageTable>, 'chat_id' | 'id' | 'role' | 'content' | 'status'> &
  Partial<Pick<Selectable<MessageTable>, 'model' | 'bot' | 'server' | 'tool' | 'outcome'>>

/** What becomes of a reply. */
export type FilledReply = Pick<
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
  | 'notice'
>

/** The same, in part, and what becomes of the call that it makes. */
export type MessageChange = Partial<FilledReply & Pick<MessageRow, 'call_state' | 'call'>>

/** How long a path to a model may be, in messages: reading it then costs the same in a chat of any length. */
export const longestPath = 1_000

const messageInsert = prepareQuery((db, message: MessageRow) =>
  db
    .insertInto('messages')
    .values({
      chat_id: message.chat_id,
      id: message.id,
      role: message.role,
      content: message.content,
      status: message.status,
      model: message.model,
      bot: message.bot,
      server: message.server,
      tool: message.tool,
      outcome: message.outcome,
      parent_id: message.parent_id,
      first_id: message.first_id,
      second_id: message.second_id,
      unix_timestamp: afterLatest(message.chat_id, message.unix_timestamp),
    })
    // The rest is known, and handing over two dozen columns takes longer than storing them.
    .returning(['position', 'unix_timestamp'])
    .compile(),
)

/**
 * Appends a message under `parent`, later than every other one of its chat, and no earlier than `now`. The caller holds the
 * chat (`lockChat`).
 */
export async function appendMessage(
  trx: Db,
  message: NewMessage,
  parent: Pick<MessageRow, 'id' | 'first_id' | 'second_id'> | null,
  now: number,
): Promise<MessageRow> {
  // Spelled out: an object that grows by spreading takes longer than the query that it is made for.
  const placed: MessageRow = {
    position: 0,
    chat_id: message.chat_id,
    id: message.id,
    parent_id: parent?.id ?? null,
    role: message.role,
    content: message.content,
    reasoning: null,
    status: message.status,
    error_code: null,
    error_message: null,
    model: message.model ?? null,
    provider: null,
    bot: message.bot ?? null,
    usage: null,
    finish: null,
    first_id: parent?.first_id ?? message.id,
    second_id: parent === null ? null : (parent.second_id ?? message.id),
    server: message.server ?? null,
    tool: message.tool ?? null,
    arguments: null,
    call_state: null,
    call: null,
    outcome: message.outcome ?? null,
    notice: null,
    unix_timestamp: now,
  }
  const { rows } = await messageInsert(trx, placed)
  const [given] = rows
  if (given === undefined) throw new Error('the database gave no row for a message')
  return { ...placed, ...given }
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

const messageQuery = prepareQuery((db, message: { readonly chatId: string; readonly id: string }) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('chat_id', '=', message.chatId)
    .where('id', '=', message.id)
    .compile(),
)

export async function findMessage(db: Db, chatId: string, id: string): Promise<MessageRow | undefined> {
  return (await messageQuery(db, { chatId, id })).rows[0]
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

const pathQuery = prepareQuery(
  (db, asked: { readonly chatId: string; readonly leafId: string; readonly limit: number }) =>
    sql<PathMessage>`
    with recursive path (id, parent_id, role, content, status, server, arguments, call_state, call, depth) as (
      select id, parent_id, role, content, status, server, arguments, call_state, call, 1
      from messages where chat_id = ${asked.chatId} and id = ${asked.leafId}
      union all
      select m.id, m.parent_id, m.role, m.content, m.status, m.server, m.arguments, m.call_state, m.call,
        path.depth + 1
      from path join messages m on m.chat_id = ${asked.chatId} and m.id = path.parent_id
      where path.depth < ${asked.limit}
    )
    select id, role, content, status, server, arguments, call_state, call from path order by depth desc`.compile(
      db,
    ),
)

/** The newest `limit` messages on the way from the root to a message, oldest first. */
export async function listPath(
  db: Db,
  chatId: string,
  leafId: string,
  limit = longestPath,
): Promise<PathMessage[]> {
  const { rows } = await pathQuery(db, { chatId, leafId, limit })
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

const replyUpdate = prepareQuery(
  (db, reply: FilledReply & { readonly chatId: string; readonly id: string }) =>
    db
      .updateTable('messages')
      .set({
        content: reply.content,
        reasoning: reply.reasoning,
        status: reply.status,
        error_code: reply.error_code,
        error_message: reply.error_message,
        model: reply.model,
        provider: reply.provider,
        usage: reply.usage,
        finish: reply.finish,
        server: reply.server,
        tool: reply.tool,
        arguments: reply.arguments,
        notice: reply.notice,
      })
      .where('chat_id', '=', reply.chatId)
      .where('id', '=', reply.id)
      .compile(),
)

/** Stores a reply as it ended. */
export async function fillReply(db: Db, chatId: string, id: string, reply: FilledReply): Promise<void> {
  await replyUpdate(db, { ...reply, chatId, id })
}

export async function updateMessage(
  db: Db,
  chatId: string,
  id: string,
  change: MessageChange,
): Promise<void> {
  await db.updateTable('messages').set(change).where('chat_id', '=', chatId).where('id', '=', id).execute()
}
