import {
  maxMarkedChats,
  type ChatMarks,
  type ChatSelection,
  type ListedChat,
  type ListedChats,
  type ListedChatsQuery,
} from '@yonder/contract/chat-list'
import { foldWords } from '@yonder/contract/lib/fold-text'
import { exportable, type Actor } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import { normalizeText } from '../../lib/text.ts'
import { requireProject } from '../../projects/project-store.ts'
import {
  type ListPlace,
  listListed,
  listMarkedIds,
  listSection,
  listSectionTitles,
  timeColumnOf,
} from './chat-list-store.ts'
import { presentListedChat } from './present-listed-chat.ts'

/** Chats whose titles are compared without a pause. */
const titlesAtOnce = 1_000

/**
 * Returns a page of a section of the list.
 * @throws AppError `not_found` for a project that the user does not have
 */
export async function readChatList(db: Db, actor: Actor, query: ListedChatsQuery): Promise<ListedChats> {
  const { section, project, cursor, limit } = query
  if (project !== undefined) await requireProject(db, actor, project)
  const after = cursor === undefined ? undefined : parseCursor(cursor)
  const words = foldWords(normalizeText(query.filter))
  if (words.length === 0) {
    const rows = await listSection(db, actor, { section, project, after, limit: limit + 1 })
    const chats = rows.slice(0, limit)
    const last = chats.at(-1)
    const next =
      rows.length > limit && last !== undefined
        ? formatCursor({ time: last[timeColumnOf(section)] ?? 0, id: last.id })
        : null
    return { chats: chats.map(presentListedChat), next }
  }
  const places: ListPlace[] = []
  for await (const found of findInSection(db, actor, { section, project, words }, after)) {
    places.push(...found)
    if (places.length > limit) break
  }
  const shown = places.slice(0, limit)
  const last = shown.at(-1)
  return {
    chats: await readListed(
      db,
      actor,
      shown.map(({ id }) => id),
    ),
    next: places.length > limit && last !== undefined ? formatCursor(last) : null,
  }
}

/** Returns these chats of the user in the order of the ids. Those that are gone, or were never the user's, are left out. */
export async function readListed(db: Db, actor: Actor, ids: readonly string[]): Promise<ListedChat[]> {
  if (ids.length === 0) return []
  const rows = await listListed(db, actor, ids, exportable)
  const chats = new Map(rows.map((row) => [row.id, presentListedChat(row)]))
  return ids.flatMap((id) => chats.get(id) ?? [])
}

/** Returns the user's chats that are unread, wait for approval or get a reply. */
export async function readMarks(db: Db, actor: Actor): Promise<ChatMarks> {
  return { marks: await readListed(db, actor, await listMarkedIds(db, actor, maxMarkedChats)) }
}

/** A section, and the words that a title must have. */
export interface FoundIn extends Pick<ChatSelection, 'section' | 'project'> {
  readonly words: readonly string[]
}

/**
 * Yields the places of the chats of a section whose titles contain every word, in parts. Between two of them other
 * requests are served, because a user may have many thousand chats.
 */
export async function* findInSection(
  db: Db,
  actor: Actor,
  { section, project, words }: FoundIn,
  start?: ListPlace,
): AsyncGenerator<readonly ListPlace[]> {
  for (let after = start; ;) {
    const titles = await listSectionTitles(db, actor, { section, project, after, limit: titlesAtOnce })
    yield titles.filter(({ title_key }) => words.every((word) => title_key?.includes(word)))
    after = titles.at(-1)
    if (titles.length < titlesAtOnce) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const formatCursor = ({ time, id }: ListPlace): string => `${time}-${id}`

/** The contract has checked its form. */
function parseCursor(cursor: string): ListPlace {
  const at = cursor.indexOf('-')
  return { time: Number(cursor.slice(0, at)), id: cursor.slice(at + 1) }
}
