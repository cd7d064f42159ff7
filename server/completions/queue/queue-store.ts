import { type SqlBool, sql } from 'kysely'
import { type Actor, changeable, notDeleted, ofUser } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import { prepareQuery } from '../../db/dialects/prepare-query.ts'
import type { BotRow, QueuedMessageRow, UserRow } from '../../db/tables/tables.ts'

/*
 * The messages that wait in chats. Whoever changes them, or sends one, has locked the chat before reading them
 * (`lockChatOnly`), so that they change in an order.
 */

/** A message that waits. */
export interface QueuedRow extends QueuedMessageRow {
  /** Today's name of its bot; null when the bot was deleted. */
  readonly bot: string | null
  /** Whether it goes into the reply of an active run with the next commit. */
  readonly isTaken: boolean
}

/** A literal, because SQLite does not use the partial index on active runs when the status is a parameter. */
const running = sql.lit('running')

/** Returns the messages that wait in a user's chat, on all its branches, in the order of sending. */
export async function listQueued(db: Db, actor: Actor, chatId: string): Promise<readonly QueuedRow[]> {
  const rows = await db
    .selectFrom('queued_messages as q')
    .leftJoin('bots as b', 'b.id', 'q.bot_id')
    .selectAll('q')
    .select('b.name as bot')
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('runs')
            .select('runs.id')
            .whereRef('runs.id', '=', 'q.run_id')
            .whereRef('runs.chat_id', '=', 'q.chat_id')
            .where('runs.status', '=', running),
        )
        .as('is_taken'),
    )
    .where('q.chat_id', '=', chatId)
    .where(changeable(actor, 'queued_messages as q'))
    .orderBy('q.position')
    .orderBy('q.id')
    .execute()
  return rows.map(({ is_taken, ...row }) => ({ ...row, isTaken: Boolean(is_taken) }))
}

const steeringQuery = prepareQuery((db, chat: { readonly id: string }) =>
  db
    .selectFrom('queued_messages')
    .select('id')
    .where('chat_id', '=', chat.id)
    .where('steers', '=', sql.lit(1))
    .limit(1)
    .compile(),
)

/** Whether messages of a chat wait for the next step of a reply. It is read at every step. */
export async function hasSteering(db: Db, chatId: string): Promise<boolean> {
  return (await steeringQuery(db, { id: chatId })).rows.length > 0
}

/** Returns those of the messages that are on the path from the root to `leafId`. */
export async function listOnPath(
  db: Db,
  chatId: string,
  leafId: string,
  among: readonly string[],
): Promise<ReadonlySet<string>> {
  if (among.length === 0) return new Set()
  const { rows } = await sql<{ readonly id: string }>`
    with recursive path (id, parent_id) as (
      select id, parent_id from messages where chat_id = ${chatId} and id = ${leafId}
      union all
      select m.id, m.parent_id from path join messages m on m.chat_id = ${chatId} and m.id = path.parent_id
    )
    select id from path where id in (${sql.join([...among])})`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

export async function insertQueued(trx: Db, row: QueuedMessageRow): Promise<void> {
  await trx.insertInto('queued_messages').values(row).execute()
}

export async function updateQueued(
  trx: Db,
  actor: Actor,
  { chat_id, id }: Pick<QueuedMessageRow, 'chat_id' | 'id'>,
  change: Partial<QueuedMessageRow>,
): Promise<void> {
  await trx
    .updateTable('queued_messages')
    .set(change)
    .where('chat_id', '=', chat_id)
    .where('id', '=', id)
    .where(changeable(actor, 'queued_messages'))
    .execute()
}

export async function deleteQueued(trx: Db, chatId: string, id: string): Promise<void> {
  await trx.deleteFrom('queued_messages').where('chat_id', '=', chatId).where('id', '=', id).execute()
}

/** Lets messages wait after another message than before. */
export async function moveQueued(
  trx: Db,
  chatId: string,
  ids: readonly string[],
  branchId: string,
): Promise<void> {
  if (ids.length === 0) return
  await trx
    .updateTable('queued_messages')
    .set({ branch_id: branchId })
    .where('chat_id', '=', chatId)
    .where('id', 'in', [...ids])
    .execute()
}

/** Notes that messages go into the reply of an active run with its next commit. */
export async function takeQueued(
  trx: Db,
  chatId: string,
  ids: readonly string[],
  runId: number,
): Promise<void> {
  await trx
    .updateTable('queued_messages')
    .set({ run_id: runId })
    .where('chat_id', '=', chatId)
    .where('id', 'in', [...ids])
    .execute()
}

/** Returns the bot of a waiting message; undefined when it was deleted. */
export function findBotById(db: Db, actor: Actor, id: string): Promise<BotRow | undefined> {
  return db
    .selectFrom('bots')
    .selectAll()
    .where('id', '=', id)
    .where(ofUser(actor.id, 'bots'))
    .executeTakeFirst()
}

/** Returns the user whose messages wait in a chat; undefined for a deleted chat and for a user who is disabled. */
export function findUserOfQueue(db: Db, chatId: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .innerJoin('chats', 'chats.user_id', 'users.id')
    .selectAll('users')
    .where('chats.id', '=', chatId)
    .where(notDeleted('chats'))
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst()
}

/** Returns the ids of up to `limit` chats after `after` in which messages wait, in the order of their ids. */
export async function listQueuedChats(
  db: Db,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('queued_messages')
    .select('chat_id')
    .distinct()
    .where('chat_id', '>', after)
    .orderBy('chat_id')
    .limit(limit)
    .execute()
  return rows.map(({ chat_id }) => chat_id)
}

/**
 * Returns those of the chats whose queue may go on: no reply is written, and the last one was completed and does not wait
 * for approval. Most queues that wait for long are paused, so the caller names the chats: a search for some that are ready
 * would read all of them.
 */
export async function selectReady(db: Db, chatIds: readonly string[]): Promise<string[]> {
  if (chatIds.length === 0) return []
  const rows = await db
    .selectFrom('chats as c')
    .leftJoin('messages as m', (join) =>
      join.onRef('m.chat_id', '=', 'c.id').onRef('m.id', '=', 'c.selected_message_id'),
    )
    .select('c.id')
    .where('c.id', 'in', [...chatIds])
    .where(notDeleted('chats as c'))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('queued_messages as q')
          .select('q.id')
          .whereRef('q.chat_id', '=', 'c.id')
          .where('q.problem', 'is', null),
      ),
    )
    .where(sql<SqlBool>`coalesce(m.status, 'complete') = 'complete'`)
    .where(sql<SqlBool>`coalesce(m.call_state, '') <> 'waiting'`)
    // After a result, a run was stopped or interrupted.
    .where(sql<SqlBool>`(m.server is null or m.role = 'assistant')`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('runs')
            .select('runs.id')
            .whereRef('runs.chat_id', '=', 'c.id')
            .where('runs.status', '=', running),
        ),
      ),
    )
    .orderBy('c.id')
    .execute()
  return rows.map(({ id }) => id)
}
