import {
  type ChangedChats,
  type ChatChange,
  type ChatsChange,
  type ChatSelection,
  type ChatsPurge,
  maxListedChats,
  titleTooLong,
} from '@yonder/contract/chat-list'
import { maxTitleLength } from '@yonder/contract/lib/chat-limits'
import { foldText, foldWords } from '@yonder/contract/lib/fold-text'
import { type Actor, changeable, deletedOf, exportable } from '../../access/access.ts'
import type { Database, Db } from '../../db/database.ts'
import { lockUser } from '../../identity/users/user-store.ts'
import { AppError } from '../../lib/app-error.ts'
import { normalizeText, toVisibleLine } from '../../lib/text.ts'
import { lockProject, requireProject } from '../../projects/project-store.ts'
import { restoreDefaultTitle } from '../chat-store.ts'
import { type ChatUpdate, hasAnyChat, updateChats } from './chat-list-store.ts'
import { findInSection, readListed } from './read-chat-list.ts'

/** Chats that one statement changes: more would hold the event loop for too long on SQLite. */
const changedAtOnce = 250

/**
 * Changes a user's chats in one transaction. Those of which all is already as requested are not changed. Between slices
 * of many chats other requests are served.
 * `now` is in milliseconds since 1970.
 * @throws AppError `invalid_request` for a title that is too long; `not_found` for a project that the user does not have,
 * and when the user has none of the chats
 */
export async function changeChats(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  actor: Actor,
  { chats, change, seen }: ChatsChange,
  now: number,
): Promise<ChangedChats> {
  const { deleted, project_id } = change
  const update = toUpdate(change, seen, now)
  const may = deleted === false ? deletedOf : changeable
  return db.transaction().execute(async (trx) => {
    // Two changes of many chats would deadlock when they lock them in different orders.
    if (!Array.isArray(chats) || chats.length > 1) await lockUser(trx, actor)
    if (typeof project_id === 'string') await lockProject(trx, actor, project_id)
    const changed = new Set<string>()
    for await (const slice of Array.isArray(chats)
      ? listNamed(trx, actor, chats, deleted)
      : listSelected(trx, actor, chats))
      for (const id of await updateChats(trx, dialect, actor, slice, update, may)) changed.add(id)
    // In the order of the request, which PostgreSQL does not keep.
    const ids = Array.isArray(chats) ? [...new Set(chats)].filter((id) => changed.has(id)) : [...changed]
    if (update.title === null) for (const id of ids) await restoreDefaultTitle(trx, id)
    return ids.length > maxListedChats ? { ids } : { ids, chats: await readListed(trx, actor, ids) }
  })
}

/**
 * Marks deleted chats of a user as deleted for good, in one transaction, and returns their ids. `purgeSlice` deletes
 * them.
 * @throws AppError `not_found` when none of the named chats is deleted
 */
export function purgeChats(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  actor: Actor,
  { chats }: ChatsPurge,
): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    await lockUser(trx, actor)
    const ids: string[] = []
    const slices =
      chats === 'all' ? listSelected(trx, actor, { section: 'deleted', filter: '' }) : inSlices(chats)
    for await (const slice of slices)
      ids.push(...(await updateChats(trx, dialect, actor, slice, { deleted_at: 0 }, deletedOf)))
    if (ids.length === 0 && chats !== 'all')
      throw new AppError('not_found', 'These chats were restored, or are deleted for good already.')
    return ids
  })
}

/** The columns of a change. */
function toUpdate(
  { title, pinned, archived, unread, project_id, deleted }: ChatChange,
  seen: string | undefined,
  now: number,
): ChatUpdate {
  return {
    ...(title !== undefined && toTitle(title)),
    ...(pinned !== undefined && { pinned: Number(pinned) }),
    ...(archived !== undefined && { archived: Number(archived) }),
    ...(unread !== undefined && { unread: Number(unread) }),
    ...(project_id !== undefined && { project_id }),
    ...(deleted !== undefined && { deleted_at: deleted ? now : null }),
    ...(seen !== undefined && { seenAt: Date.parse(seen) }),
  }
}

function toTitle(text: string): Pick<ChatUpdate, 'title' | 'title_key' | 'title_source'> {
  const title = toVisibleLine(text)
  if (title.length > maxTitleLength) throw new AppError('invalid_request', `change.title: ${titleTooLong}`)
  if (title === '') return { title: null, title_key: null, title_source: null }
  return { title, title_key: foldText(title), title_source: 'user' }
}

async function* listNamed(
  trx: Db,
  actor: Actor,
  ids: readonly string[],
  deleted: boolean | undefined,
): AsyncGenerator<readonly string[]> {
  // What another tab has deleted or restored before is no error.
  if (!(await hasAnyChat(trx, actor, ids, deleted === undefined ? changeable : exportable)))
    throw new AppError(
      'not_found',
      deleted === false
        ? 'There is nothing to restore: what was deleted for good is gone.'
        : 'There is no such chat. It may have been deleted.',
    )
  yield* inSlices(ids)
}

async function* listSelected(
  trx: Db,
  actor: Actor,
  { section, project, filter }: ChatSelection,
): AsyncGenerator<readonly string[]> {
  if (project !== undefined) await requireProject(trx, actor, project)
  const words = foldWords(normalizeText(filter))
  const ids: string[] = []
  for await (const places of findInSection(trx, actor, { section, project, words }))
    for (const { id } of places) ids.push(id)
  yield* inSlices(ids)
}

/** In the order in which chats are locked. */
async function* inSlices(unordered: readonly string[]): AsyncGenerator<readonly string[]> {
  const ids = unordered.toSorted()
  for (let at = 0; at < ids.length; at += changedAtOnce) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve))
    yield ids.slice(at, at + changedAtOnce)
  }
}
