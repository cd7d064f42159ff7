import { setImmediate as nextTurn } from 'node:timers/promises'
import { maxProjectNameChars } from '@yonder/contract/lib/project-limits'
import type { ProjectChange, ProjectInput } from '@yonder/contract/project'
import { type Actor, ownedBy } from '../access/access.ts'
import { requireBot } from '../bots/bot-store.ts'
import type { Database, Db } from '../db/database.ts'
import type { ProjectRow } from '../db/tables/tables.ts'
import { lockUser } from '../identity/users/user-store.ts'
import { AppError } from '../lib/app-error.ts'
import { newId } from '../lib/new-id.ts'
import { fitText, normalizeText, toVisibleLine } from '../lib/text.ts'
import {
  type CountedProject,
  countProjects,
  deleteChats,
  deleteProjectRow,
  insertProject,
  listProjects,
  lockChatsOf,
  removeFromProject,
  requireCountedProject,
  updateProject,
} from './project-store.ts'

/** Projects of a user. Limited because one response lists them all. */
const maxProjects = 1_000
/** Chats that are removed from a project without a pause in which other requests are served. */
const chatsAtOnce = 500

/**
 * Creates a project. `now` is in milliseconds since 1970.
 * @throws AppError `invalid_request`, `not_found` for a bot, `conflict` when the user already has `maxProjects`
 */
export async function addProject(
  { db }: Database,
  user: Actor,
  input: ProjectInput,
  now: number,
): Promise<CountedProject> {
  const id = newId()
  const name = readName(input.name)
  return db.transaction().execute(async (trx) => {
    await lockUser(trx, user)
    if ((await countProjects(trx, user)) >= maxProjects)
      throw new AppError(
        'conflict',
        `You have ${maxProjects.toLocaleString('en')} projects. Delete one before you add another.`,
      )
    const fields = { instructions: '', bot_id: null, ...(await readFields(trx, user, input)) }
    await insertProject(trx, { id, ...ownedBy(user), name, created_at: now, ...fields })
    return requireCountedProject(trx, user, id)
  })
}

/**
 * Returns the id of the user's project with a name, which is added if there is none. Null when the name has no visible
 * character, and when the user has `maxProjects`.
 */
export async function findOrAddProject(
  { db }: Pick<Database, 'db'>,
  user: Actor,
  text: string,
  now: number,
): Promise<string | null> {
  const name = fitText(toVisibleLine(text), maxProjectNameChars)
  if (name === '') return null
  return db.transaction().execute(async (trx) => {
    await lockUser(trx, user)
    const found = (await listProjects(trx, user)).find((project) => project.name === name)
    if (found !== undefined) return found.id
    if ((await countProjects(trx, user)) >= maxProjects) return null
    const id = newId()
    await insertProject(trx, { id, ...ownedBy(user), name, instructions: '', bot_id: null, created_at: now })
    return id
  })
}

/** @throws AppError `invalid_request`, `not_found` */
export async function changeProject(
  { db }: Database,
  user: Actor,
  id: string,
  change: ProjectChange,
): Promise<CountedProject> {
  const named = change.name === undefined ? {} : { name: readName(change.name) }
  return db.transaction().execute(async (trx) => {
    await updateProject(trx, user, id, { ...named, ...(await readFields(trx, user, change)) })
    return requireCountedProject(trx, user, id)
  })
}

/**
 * Deletes a project in one transaction. Its chats stay, in no project, or with `withChats` are deleted at `now`. Returns
 * the ids of its chats, and of those that were deleted with it.
 * @throws AppError `not_found`
 */
export function deleteProject(
  { db, dialect }: Database,
  user: Actor,
  { id, withChats, now }: { readonly id: string; readonly withChats: boolean; readonly now: number },
): Promise<{ readonly chats: readonly string[]; readonly deleted: string[] }> {
  return db.transaction().execute(async (trx) => {
    // Like every change of many chats, so that two of them do not wait for each other.
    await lockUser(trx, user)
    await deleteProjectRow(trx, user, id)
    const chats = await lockChatsOf(trx, dialect, id)
    const deleted: string[] = []
    for (let at = 0; at < chats.length; at += chatsAtOnce) {
      if (at > 0) await nextTurn()
      const slice = chats.slice(at, at + chatsAtOnce)
      if (withChats) deleted.push(...(await deleteChats(trx, slice, now)))
      await removeFromProject(trx, slice)
    }
    return { chats, deleted }
  })
}

async function readFields(
  db: Db,
  user: Actor,
  { instructions, bot }: ProjectChange,
): Promise<Partial<Pick<ProjectRow, 'instructions' | 'bot_id'>>> {
  return {
    ...(instructions !== undefined && { instructions: normalizeText(instructions) }),
    ...(bot !== undefined && {
      bot_id: bot === null || bot === '' ? null : (await requireBot(db, user, normalizeText(bot))).id,
    }),
  }
}

/**
 * Returns a name as it is stored: one line, without what cannot be seen or changes the direction of the text around it.
 * @throws AppError `invalid_request`
 */
function readName(input: string): string {
  const name = toVisibleLine(input)
  if (name === '') throw new AppError('invalid_request', 'name: has no visible character')
  if (name.length > maxProjectNameChars)
    throw new AppError('invalid_request', `name: must have at most ${maxProjectNameChars} characters`)
  return name
}
