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

interface OwnedRow {
  readonly user_id: string
}

/** The condition for rows that an actor may read. A chat that was deleted is not among them. */
export function readable(actor: Actor, source: Source): RawBuilder<SqlBool> {
  const owned = ofUser(actor.id, source)
  return isOfChats(source) ? sql<SqlBool>`${owned} and ${column(source, 'deleted_at')} is null` : owned
}

/** The condition for rows that an actor may change or delete. */
export function changeable(actor: Actor, source: Source): RawBuilder<SqlBool> {
  return readable(actor, source)
}

/**
 * The condition for all rows that belong to a user, whoever asks. It is for what the product does by itself: limits,
 * export, deletion, and jobs that go on with a row that they have.
 */
export function ofUser(userId: string, source: Source): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column(source, 'user_id')} = ${userId}`
}

const isOfChats = (source: Source): boolean => source.split(' as ')[0] === 'chats'

const column = (source: Source, name: string) => sql.ref(`${source.split(' as ').at(-1)}.${name}`)

/** The columns of a new row that belongs to the actor. */
export function ownedBy(actor: Actor): OwnedRow {
  return { user_id: actor.id }
}

/** The actor for whom a job uses a row: its owner. */
export function ownerOf(row: OwnedRow): Actor {
  return { id: row.user_id }
}
