import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables/tables.ts'
import { maxTotal } from './chat-finder.ts'
import type { FindRequest, FoundChats } from './chat-finder.ts'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

/** A word that occurs in more messages than this is treated as common. */
const maxHits = 2_000

/**
 * Finds the chats that contain every word. The index finds the messages of a rare word. When all words are common, the
 * index would list most of the table, so the chats are read newest first until there are enough for page and total.
 */
export async function findInPostgres(db: Kysely<Tables>, request: FindRequest): Promise<FoundChats> {
  const { userId, words, offset, limit } = request
  const wanted = Math.max(maxTotal, offset + limit)
  const common: string[] = []
  let candidates: ReadonlySet<string> | undefined
  for (const word of words) {
    // A trigram index cannot find words of fewer than three characters.
    const hits =
      Array.from(word).length < 3 ? undefined : await listChatsWithWord(db, userId, word, maxHits + 1)
    if (hits === undefined || hits.length > maxHits) common.push(word)
    else candidates = new Set(hits.filter((id) => candidates === undefined || candidates.has(id)))
    if (candidates?.size === 0) return { ids: [], total: 0 }
  }
  const ids = await listChatsWithWords(db, userId, {
    words: common,
    wanted,
    candidates: candidates === undefined ? undefined : [...candidates],
  })
  return { ids: ids.slice(offset, offset + limit), total: Math.min(ids.length, maxTotal) }
}

/** The word as a pattern, with its wildcards escaped. */
function patternOf(word: string): string {
  return `%${word.replace(/[\\%_]/g, '\\$&')}%`
}

const isSearchable = sql`m.status <> 'streaming' and (m.server is null or m.role = 'assistant')`

/** Returns the chats of up to `limit` messages of one user that contain a word, one entry for each message. */
export async function listChatsWithWord(
  db: Db,
  userId: string,
  word: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ chat_id: string }>`
    select m.chat_id from messages m join chats c on c.id = m.chat_id
    where c.user_id = ${userId} and m.content ilike ${patternOf(word)} and ${isSearchable}
    limit ${limit}`.execute(db)
  return rows.map((row) => row.chat_id)
}

/** Returns one user's chats that contain every word, newest first; with `candidates`, only chats of that list. */
export async function listChatsWithWords(
  db: Db,
  userId: string,
  search: {
    readonly words: readonly string[]
    readonly wanted: number
    readonly candidates: readonly string[] | undefined
  },
): Promise<string[]> {
  // `offset 0` keeps PostgreSQL from turning the subqueries into joins, which would read all messages first.
  const conditions = search.words.map(
    (word) => sql`and exists (select 1 from messages m where m.chat_id = c.id
      and m.content ilike ${patternOf(word)} and ${isSearchable} offset 0)`,
  )
  const candidates = search.candidates === undefined ? sql`` : sql`and c.id = any(${search.candidates})`
  const { rows } = await sql<{ id: string }>`
    select c.id from chats c where c.user_id = ${userId} ${candidates} ${sql.join(conditions, sql` `)}
    order by c.updated_at desc, c.id desc limit ${search.wanted}`.execute(db)
  return rows.map((row) => row.id)
}
