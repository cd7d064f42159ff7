import { maxInboxItems } from '@yonder/contract/inbox'
import { sql } from 'kysely'
import { type Actor, readable } from '../access/access.ts'
import { bytesOf } from '../chats/message-store.ts'
import type { Db } from '../db/database.ts'

/** Where a call is that waits for the user. */
export interface WaitingPlace {
  readonly chat_id: string
  readonly chat_title: string | null
  /** The reply that makes the call. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly time: number
  /** The size of the texts of the reply. */
  readonly bytes: number
}

function selectWaiting(db: Db, actor: Actor) {
  return (
    db
      .selectFrom('messages as m')
      .innerJoin('chats as c', 'c.id', 'm.chat_id')
      .where(readable(actor, 'chats as c'))
      // A literal, because SQLite does not use the partial index when the state is a parameter.
      .where('m.call_state', '=', sql.lit('waiting'))
  )
}

/** Returns the places of the user's newest calls that need approval, on every branch, at most `maxInboxItems`. */
export function listWaiting(db: Db, actor: Actor): Promise<WaitingPlace[]> {
  return selectWaiting(db, actor)
    .select(['m.chat_id', 'c.title as chat_title', 'm.id', 'm.unix_timestamp as time'])
    .select(bytesOf('m', ['content', 'arguments', 'call']).as('bytes'))
    .orderBy('m.unix_timestamp', 'desc')
    .orderBy('m.position', 'desc')
    .limit(maxInboxItems)
    .execute()
}

/** Returns how many calls of the user need approval. */
export async function countWaiting(db: Db, actor: Actor): Promise<number> {
  const row = await selectWaiting(db, actor)
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Returns the title of a chat of the user; undefined for a chat that is deleted. */
export async function findTitle(
  db: Db,
  actor: Actor,
  chatId: string,
): Promise<{ readonly title: string | null } | undefined> {
  return db
    .selectFrom('chats')
    .select('title')
    .where('id', '=', chatId)
    .where(readable(actor, 'chats'))
    .executeTakeFirst()
}

/** Characters of a message from which `asked_for` is derived, and messages that are searched for it. */
const maxSourceChars = 2_000
const maxSearched = 1_000

/**
 * Returns the beginning of the user's last message before a reply; empty when there is none near. The caller must know
 * that the chat belongs to the user for whom it acts.
 */
export async function findAskedFor(db: Db, chatId: string, replyId: string): Promise<string> {
  const { rows } = await sql<{ text: string }>`
    with recursive path (id, parent_id, is_asked, depth) as (
      select id, parent_id, 0, 1 from messages where chat_id = ${chatId} and id = ${replyId}
      union all
      select m.id, m.parent_id, case when m.role = 'user' and m.server is null then 1 else 0 end, path.depth + 1
      from path join messages m on m.chat_id = ${chatId} and m.id = path.parent_id
      where path.is_asked = 0 and path.depth < ${sql.lit(maxSearched)}
    )
    select substr(m.content, 1, ${sql.lit(maxSourceChars)}) as text
    from path join messages m on m.chat_id = ${chatId} and m.id = path.id where path.is_asked = 1`.execute(db)
  return rows[0]?.text ?? ''
}
