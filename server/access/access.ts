import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Tables } from '../db/tables/tables.ts'

/*
 * Who may read and change which rows. Every query of a store that depends on who asks contains a condition from here,
 * so that a row which an actor may not use is not found, rather than refused. Today a row has one owner, its `user_id`,
 * who may do everything with it; only this file compares that column.
 */

/** Who asks: a signed-in user, or a job that acts for one. */
export interface Actor {
  readonly id: string
}

type OwnedTable = { [Name in keyof Tables]: Tables[Name] extends OwnedRow ? Name : never }[keyof Tables]

/** A table as a query names it, perhaps with an alias. */
type Source = OwnedTable | `${OwnedTable} as ${string}`
type ChatSource = 'chats' | `chats as ${string}`

interface OwnedRow {
  readonly user_id: string
}

/** The condition for rows that an actor may read. Deleted chats and their links are not among them. */
export function readable(actor: Actor, source: Source): RawBuilder<SqlBool> {
  const owned = ownedCondition(actor.id, source)
  switch (tableOf(source)) {
    case 'chats':
      return sql<SqlBool>`${owned} and ${notDeleted(source)}`
    case 'shares':
      return sql<SqlBool>`${owned} and exists (
        select 1 from chats where chats.id = ${column(source, 'chat_id')} and ${notDeleted('chats')})`
    default:
      return owned
  }
}

/** The condition for rows that an actor may change or delete. */
export function changeable(actor: Actor, source: Source): RawBuilder<SqlBool> {
  return readable(actor, source)
}

/** The condition for chats that an actor has deleted and may restore. */
export function deletedOf(actor: Actor, source: ChatSource): RawBuilder<SqlBool> {
  return sql<SqlBool>`${everyChatOf(actor.id, source)} and ${column(source, 'deleted_at')} > 0`
}

/**
 * The condition for all rows that belong to a user, whoever asks. It is for what the product does by itself: limits,
 * export, deletion, and jobs that go on with a row that they have.
 */
export function ofUser(userId: string, source: Exclude<Source, ChatSource>): RawBuilder<SqlBool> {
  return ownedCondition(userId, source)
}

/** The same for chats, deleted ones too. Its name says that, so that no query has them by mistake. */
export function everyChatOf(userId: string, source: ChatSource): RawBuilder<SqlBool> {
  return ownedCondition(userId, source)
}

/** The condition for chats whose data an actor may have a copy of: all but those that are deleted for good. */
export function exportable(actor: Actor, source: ChatSource): RawBuilder<SqlBool> {
  return sql<SqlBool>`${everyChatOf(actor.id, source)} and coalesce(${column(source, 'deleted_at')}, 1) > 0`
}

/** The condition for chats that their owner has not deleted, whoever the owner is. */
export function notDeleted(source: Source): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column(source, 'deleted_at')} is null`
}

/** The condition for two rows of one query that belong to the same user, whoever asks. */
export function ofSameUser(one: Source, other: Source): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column(one, 'user_id')} = ${column(other, 'user_id')}`
}

const ownedCondition = (userId: string, source: Source) =>
  sql<SqlBool>`${column(source, 'user_id')} = ${userId}`

const tableOf = (source: Source): string => source.split(' as ')[0] ?? source

const column = (source: Source, name: string) => sql.ref(`${source.split(' as ').at(-1)}.${name}`)

/** The columns of a new row that belongs to the actor. */
export function ownedBy(actor: Actor): OwnedRow {
  return { user_id: actor.id }
}

/** The actor for whom a job uses a row: its owner. */
export function ownerOf(row: OwnedRow): Actor {
  return { id: row.user_id }
}
