import { foldText } from '@yonder/contract/lib/fold-text'
import { historyTitleOf, maxTitleSourceChars } from '@yonder/contract/message-text'
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** Chats whose titles are read and written together. */
const titledAtOnce = 500

/** Titles, pins, the archive, unread chats, projects, and chats that are deleted but can be restored. */
export async function putChatsInOrder(
  trx: Kysely<Tables>,
  { integer, searchMergeSql }: Dialect,
): Promise<void> {
  for (const statement of [...listStatements(integer), ...searchMergeSql])
    await sql.raw(statement).execute(trx)
  for (let after = ''; ;) {
    const chats = await listUntitled(trx, after)
    for (const { id, text } of chats) {
      const title = historyTitleOf(text)
      await sql`update chats set title = ${title}, title_key = ${foldText(title)} where id = ${id}`.execute(
        trx,
      )
    }
    const last = chats.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

async function listUntitled(
  trx: Kysely<Tables>,
  after: string,
): Promise<readonly { readonly id: string; readonly text: string }[]> {
  const { rows } = await sql<{ readonly id: string; readonly text: string }>`
    select c.id, substr(first.content, 1, ${sql.lit(maxTitleSourceChars)}) as text
    from chats c
    join messages leaf on leaf.chat_id = c.id and leaf.id = c.selected_message_id
    join messages first on first.chat_id = c.id and first.id = leaf.first_id
    where c.id > ${after} order by c.id limit ${sql.lit(titledAtOnce)}`.execute(trx)
  return rows
}

const listStatements = (integer: string): readonly string[] => [
  // The instructions are last: SQLite reads a list of projects without them then.
  `create table projects (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    name text not null,
    bot_id text,
    created_at ${integer} not null,
    instructions text not null)`,
  `create index projects_by_user on projects (user_id)`,

  `alter table chats add column title text`,
  `alter table chats add column title_key text`,
  `alter table chats add column title_source text`,
  `alter table chats add column pinned ${integer} not null default 0`,
  `alter table chats add column archived ${integer} not null default 0`,
  `alter table chats add column unread ${integer} not null default 0`,
  `alter table chats add column project_id text`,
  `alter table chats add column deleted_at ${integer}`,

  // With the id, so that chats of the same time need no sorting.
  `drop index chats_by_time`,
  `create index chats_by_time on chats (user_id, updated_at, id)`,
  // A page of each section of the list is read from its index, however many chats the other sections have.
  `create index chats_recent on chats (user_id, updated_at, id)
    where deleted_at is null and archived = 0 and pinned = 0 and project_id is null`,
  `create index chats_pinned on chats (user_id, updated_at, id)
    where deleted_at is null and archived = 0 and pinned = 1`,
  `create index chats_archived on chats (user_id, updated_at, id) where deleted_at is null and archived = 1`,
  `create index chats_of_project on chats (project_id, updated_at, id) where project_id is not null`,
  `create index chats_unread on chats (user_id, updated_at, id) where unread = 1`,
  `create index chats_titled on chats (user_id) where title_source is not null`,
  `create index chats_deleted on chats (user_id, deleted_at, id) where deleted_at is not null`,
  // Chats of all users that are deleted for good, or have been deleted for long.
  `create index chats_by_deletion on chats (deleted_at) where deleted_at is not null`,

  `alter table bots add column title_model text`,
]
