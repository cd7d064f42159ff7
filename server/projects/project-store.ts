import { sql } from 'kysely'
import { type Actor, changeable, ofUser, readable } from '../access/access.ts'
import type { Db, Dialect } from '../db/database.ts'
import type { ProjectRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'

/** A project with the name of its bot; null for none, and for a deleted one. */
export interface NamedProject extends Pick<ProjectRow, 'id' | 'name'> {
  readonly bot: string | null
}

export interface CountedProject extends NamedProject, Pick<ProjectRow, 'instructions'> {
  /** How many chats it has, without deleted ones. */
  readonly chats: number
}

function selectNamed(db: Db, actor: Actor) {
  return db
    .selectFrom('projects as p')
    .leftJoin('bots as b', (join) => join.onRef('b.id', '=', 'p.bot_id').on(readable(actor, 'bots as b')))
    .select(['p.id', 'p.name', 'b.name as bot'])
    .where(readable(actor, 'projects as p'))
}

/** A user's projects, oldest first. */
export function listProjects(db: Db, actor: Actor): Promise<NamedProject[]> {
  return selectNamed(db, actor).orderBy('p.created_at').orderBy('p.id').execute()
}

/** @throws AppError `not_found` */
export async function requireProject(db: Db, actor: Actor, id: string): Promise<void> {
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('id', '=', id)
    .where(readable(actor, 'projects'))
    .executeTakeFirst()
  if (project === undefined) throw unknownProject()
}

/** @throws AppError `not_found` */
export async function requireCountedProject(db: Db, actor: Actor, id: string): Promise<CountedProject> {
  const project = await selectNamed(db, actor)
    .select('p.instructions')
    .select((eb) =>
      eb
        .selectFrom('chats as c')
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .where('c.project_id', '=', id)
        .where(readable(actor, 'chats as c'))
        .as('chats'),
    )
    .where('p.id', '=', id)
    .executeTakeFirst()
  if (project === undefined) throw unknownProject()
  return { ...project, chats: Number(project.chats) }
}

export async function countProjects(db: Db, actor: Actor): Promise<number> {
  const { count } = await db
    .selectFrom('projects')
    .select(({ fn }) => fn.countAll().as('count'))
    .where(ofUser(actor.id, 'projects'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertProject(db: Db, project: ProjectRow): Promise<void> {
  await db.insertInto('projects').values(project).execute()
}

/** @throws AppError `not_found` */
export async function updateProject(
  db: Db,
  actor: Actor,
  id: string,
  change: Partial<Pick<ProjectRow, 'name' | 'instructions' | 'bot_id'>>,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('projects')
    .set(({ ref }) => ({ created_at: ref('created_at'), ...change }))
    .where('id', '=', id)
    .where(changeable(actor, 'projects'))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw unknownProject()
}

/**
 * Locks a project until `trx` ends, so that it cannot be deleted before a chat is in it.
 * @throws AppError `not_found`
 */
export function lockProject(trx: Db, actor: Actor, id: string): Promise<void> {
  return updateProject(trx, actor, id, {})
}

/**
 * Deletes the row of a project. The caller removes its chats from it.
 * @throws AppError `not_found`
 */
export async function deleteProjectRow(trx: Db, actor: Actor, id: string): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('projects')
    .where('id', '=', id)
    .where(changeable(actor, 'projects'))
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw unknownProject()
}

/**
 * Locks the chats of a project, also deleted ones, in the order in which every transaction locks chats, and returns their
 * ids. The caller must know that the project was the user's.
 */
export async function lockChatsOf(
  trx: Db,
  { lockInOrder }: Pick<Dialect, 'lockInOrder'>,
  projectId: string,
): Promise<string[]> {
  const { rows } = await sql<{ readonly id: string }>`
    select id from chats where project_id = ${projectId} ${lockInOrder}`.execute(trx)
  return rows.map(({ id }) => id)
}

/** Deletes those of the chats that are not deleted, and returns their ids. The caller must know that they are the user's. */
export async function deleteChats(trx: Db, chatIds: readonly string[], now: number): Promise<string[]> {
  const rows = await trx
    .updateTable('chats')
    .set({ deleted_at: now })
    .where('id', 'in', chatIds)
    .where('deleted_at', 'is', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Removes chats from their project. The caller must know that they are the user's. */
export async function removeFromProject(trx: Db, chatIds: readonly string[]): Promise<void> {
  await trx.updateTable('chats').set({ project_id: null }).where('id', 'in', chatIds).execute()
}

function unknownProject(): AppError {
  return new AppError('not_found', 'There is no such project. It may have been deleted.')
}
