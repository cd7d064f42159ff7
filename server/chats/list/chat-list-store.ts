import type { ChatSelection, ChatSection } from '@yonder/contract/chat-list'
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { type Actor, deletedOf, type exportable, ofUser, readable } from '../../access/access.ts'
import type { Db, Dialect } from '../../db/database.ts'
import type { ChatRow } from '../../db/tables/tables.ts'

/** What lists show of a chat. */
export type ListedRow = Pick<
  ChatRow,
  | 'id'
  | 'updated_at'
  | 'title'
  | 'title_source'
  | 'pinned'
  | 'archived'
  | 'unread'
  | 'project_id'
  | 'deleted_at'
  | 'selected_message_id'
> & {
  /** The state of the call in the selected leaf, and of the leaf itself. */
  readonly call_state: string | null
  readonly status: string | null
  readonly running: SqlBool
}

/** Literals, because SQLite does not use a partial index when the value of its condition is a parameter. */
const running = sql.lit('running')
const waiting = sql.lit('waiting')

function selectListed(db: Db) {
  return db
    .selectFrom('chats as c')
    .leftJoin('messages as leaf', (join) =>
      join.onRef('leaf.chat_id', '=', 'c.id').onRef('leaf.id', '=', 'c.selected_message_id'),
    )
    .select([
      'c.id',
      'c.updated_at',
      'c.title',
      'c.title_source',
      'c.pinned',
      'c.archived',
      'c.unread',
      'c.project_id',
      'c.deleted_at',
      'c.selected_message_id',
      'leaf.call_state',
      'leaf.status',
    ])
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('runs as r')
            .select('r.id')
            .whereRef('r.chat_id', '=', 'c.id')
            .where('r.status', '=', running),
        )
        .as('running'),
    )
}

/** Returns these chats of a user, in no order; with `exportable` also those that can be restored. */
export function listListed(
  db: Db,
  actor: Actor,
  ids: readonly string[],
  may: typeof exportable = readable,
): Promise<ListedRow[]> {
  return selectListed(db).where(may(actor, 'chats as c')).where('c.id', 'in', ids).execute()
}

/** A place in the order of a section: the time by which it is ordered, and the id of the chat that was there. */
export interface ListPlace {
  readonly time: number
  readonly id: string
}

/** Some chats of a section, in its order, after a place. */
export interface SectionSlice extends Pick<ChatSelection, 'section' | 'project'> {
  readonly after: ListPlace | undefined
  readonly limit: number
}

/** The column by which a section is ordered. */
export function timeColumnOf(section: ChatSection): 'deleted_at' | 'updated_at' {
  return section === 'deleted' ? 'deleted_at' : 'updated_at'
}

/** The condition of each section has an index of its own, so its values are literals. */
function isInSection(actor: Actor, { section, project }: SectionSlice): RawBuilder<SqlBool> {
  if (section === 'deleted') return deletedOf(actor, 'chats as c')
  const isOwn = readable(actor, 'chats as c')
  switch (section) {
    case 'recent':
      return sql`${isOwn} and c.archived = 0 and c.pinned = 0 and c.project_id is null`
    case 'pinned':
      return sql`${isOwn} and c.archived = 0 and c.pinned = 1`
    case 'project':
      return sql`${isOwn} and c.archived = 0 and c.project_id = ${project}`
    case 'archived':
      return sql`${isOwn} and c.archived = 1`
    case 'all':
      return sql`${isOwn} and c.archived = 0`
    case 'unread':
      return sql`${isOwn} and c.archived = 0 and c.unread = 1`
    case 'waiting':
      return sql`${isOwn} and c.archived = 0 and (c.id, c.selected_message_id) in (
        select m.chat_id, m.id from messages as m where m.call_state = ${waiting})`
  }
}

const isAfter = ({ section, after }: SectionSlice): RawBuilder<SqlBool> =>
  after === undefined
    ? sql`1 = 1`
    : sql`(${sql.ref(`c.${timeColumnOf(section)}`)}, c.id) < (${after.time}, ${after.id})`

/** Returns chats of a section. */
export function listSection(db: Db, actor: Actor, slice: SectionSlice): Promise<ListedRow[]> {
  return selectListed(db)
    .where(isInSection(actor, slice))
    .where(isAfter(slice))
    .orderBy(`c.${timeColumnOf(slice.section)}`, 'desc')
    .orderBy('c.id', 'desc')
    .limit(slice.limit)
    .execute()
}

export interface TitledRow extends ListPlace {
  readonly title_key: string | null
}

/** Returns the places of chats of a section, with their folded titles. */
export function listSectionTitles(db: Db, actor: Actor, slice: SectionSlice): Promise<TitledRow[]> {
  const time = `c.${timeColumnOf(slice.section)}` as const
  return db
    .selectFrom('chats as c')
    .select(['c.id', 'c.title_key', sql<number>`${sql.ref(time)}`.as('time')])
    .where(isInSection(actor, slice))
    .where(isAfter(slice))
    .orderBy(time, 'desc')
    .orderBy('c.id', 'desc')
    .limit(slice.limit)
    .execute()
}

/**
 * Returns the ids of a user's chats that are unread, wait for approval or get a reply, newest first; archived ones are
 * not among them.
 */
export async function listMarkedIds(db: Db, actor: Actor, limit: number): Promise<string[]> {
  const isShown = sql<SqlBool>`${readable(actor, 'chats')} and chats.archived = 0`
  const columns = ['chats.id', 'chats.updated_at'] as const
  const unread = db
    .selectFrom('chats')
    .select(columns)
    .where('chats.unread', '=', sql.lit(1))
    .where(isShown)
    .orderBy('chats.updated_at', 'desc')
    .orderBy('chats.id', 'desc')
    .limit(limit)
  // SQLite reads the first table of a cross join first: few chats of the user are written or wait.
  const marked = db
    .selectFrom(unread.as('unread'))
    .selectAll()
    .union(
      db
        .selectFrom('runs')
        .crossJoin('chats')
        .select(columns)
        .where('runs.status', '=', running)
        .where(ofUser(actor.id, 'runs'))
        .whereRef('chats.id', '=', 'runs.chat_id')
        .where(isShown),
    )
    .union(
      db
        .selectFrom('messages as leaf')
        .crossJoin('chats')
        .select(columns)
        .where('leaf.call_state', '=', waiting)
        .whereRef('chats.id', '=', 'leaf.chat_id')
        .whereRef('chats.selected_message_id', '=', 'leaf.id')
        .where(isShown),
    )
  const rows = await db
    .selectFrom(marked.as('marked'))
    .select('id')
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Whether the user has at least one of these chats. */
export async function hasAnyChat(
  db: Db,
  actor: Actor,
  ids: readonly string[],
  may: typeof deletedOf,
): Promise<boolean> {
  const found = await db
    .selectFrom('chats')
    .select('id')
    .where('id', 'in', ids)
    .where(may(actor, 'chats'))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** New values of columns. With `seenAt`, only chats whose last message is not later are changed. */
export interface ChatUpdate extends Partial<
  Pick<
    ChatRow,
    'title' | 'title_key' | 'title_source' | 'pinned' | 'archived' | 'unread' | 'project_id' | 'deleted_at'
  >
> {
  readonly seenAt?: number
}

const columnsOf = (columns: Omit<ChatUpdate, 'seenAt'>) => Object.keys(columns) as (keyof typeof columns)[]

/**
 * Changes those of a user's chats that differ, and returns their ids. `may` is the condition for the chats. When one
 * transaction calls it several times, the ids must be in order: the commits of replies, too, lock chats in that order.
 */
export async function updateChats(
  trx: Db,
  { lockInOrder }: Pick<Dialect, 'lockInOrder'>,
  actor: Actor,
  ids: readonly string[],
  { seenAt, ...columns }: ChatUpdate,
  may: typeof deletedOf,
): Promise<string[]> {
  if (ids.length === 0) return []
  if (ids.length > 1)
    await trx
      .selectFrom('chats')
      .select('id')
      .where('id', 'in', ids)
      .where(may(actor, 'chats'))
      .modifyEnd(lockInOrder)
      .execute()
  let query = trx
    .updateTable('chats')
    .set(columns)
    .where('id', 'in', ids)
    .where(may(actor, 'chats'))
    .where(({ eb, or }) =>
      or(columnsOf(columns).map((column) => eb(column, 'is distinct from', columns[column] ?? null))),
    )
  if (seenAt !== undefined) query = query.where('updated_at', '<=', seenAt)
  const rows = await query.returning('id').execute()
  return rows.map(({ id }) => id)
}
