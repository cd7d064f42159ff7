import { createHash } from 'node:crypto'
import { CompiledQuery, sql, type Kysely, type RawBuilder } from 'kysely'
import { readable } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import { foldSql, moveQueuedTextsSql, ownerLength } from '../../db/dialects/postgres-search.ts'
import { searchableSql, searchedSql, shownSql } from '../../db/dialects/searchable-sql.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { maxPassages, partChars, partStep, type FoundChats, type FoundPassage } from './chat-finder.ts'
import { tsqueryOf } from './words.ts'

/** Newest chats, and texts of each, by which the frequency of words is estimated. */
const sampledChats = 100
const sampledTexts = 20

/** Milliseconds for a statement of a search. */
const maxSearchMs = 60_000

/**
 * Makes the plans of this transaction use one processor, so that a search does not take those that other requests need,
 * and no JIT, which would take longer than the search.
 */
export async function prepareSearch(trx: Db): Promise<void> {
  await sql.raw(`set local statement_timeout = ${maxSearchMs}`).execute(trx)
  await sql`
    select set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)`.execute(
    trx,
  )
}

const containsWord = (text: RawBuilder<unknown>, word: string): RawBuilder<boolean> =>
  sql<boolean>`strpos(${text}, ${word}) > 0`

/** Shares of the newest chats, from 0 to 1. */
export interface Shares {
  /** For each word, of the chats that contain it. */
  readonly words: readonly number[]
  /** Of the chats that contain every word. */
  readonly all: number
}

/** Estimates the frequency of words. */
export async function sampleChats(trx: Db, userId: string, words: readonly string[]): Promise<Shares> {
  const foundColumns = words.map((word) => sql`coalesce(bool_or(${containsWord(sql`t.text`, word)}), false)`)
  const { rows } = await sql<{ found: boolean[] }>`
    select (select array[${sql.join(foundColumns)}] from (
      select text from search_texts where chat_id = c.id limit ${sampledTexts}) t) as found
    from (select id from chats where ${readable({ id: userId }, 'chats')} order by updated_at desc, id desc limit ${sampledChats}) c`.execute(
    trx,
  )
  const shareOf = (matches: (found: readonly boolean[]) => boolean): number =>
    rows.filter(({ found }) => matches(found)).length / Math.max(rows.length, 1)
  return {
    words: words.map((_, index) => shareOf((found) => found[index] === true)),
    all: shareOf((found) => found.every(Boolean)),
  }
}

export interface ListChatsQuery {
  readonly userId: string
  /** The word for which the index is read, if any. */
  readonly indexed: string | null
  /** Words that are looked up in each chat. */
  readonly words: readonly string[]
  /** The number of chats after which the counting ends. */
  readonly wanted: number
  /** Messages that the index may find for the word. */
  readonly maxHits: number
  readonly offset: number
  readonly limit: number
}

export interface ListedChats extends FoundChats {
  /** False when the index finds more messages than `maxHits`, so that chats may be missing. */
  readonly isComplete: boolean
}

/** Returns a page of the user's chats that contain all words, newest first, and how many there are, up to `wanted`. */
export async function listChats(trx: Db, query: ListChatsQuery): Promise<ListedChats> {
  const { userId, indexed, words, maxHits, wanted, offset, limit } = query
  const hits = indexed === null ? sql`` : sql`hits as materialized (${selectHits(indexed, query)}),`
  const isHit = indexed === null ? sql`` : sql`and id in (select chat_id from hits)`
  const isComplete = indexed === null ? sql`true` : sql`(select count(*) from hits) <= ${maxHits}`
  const wordConditions = words.map((word) => sql`and ${chatContains(word)}`)
  // `offset 0` sorts the chats first, so that words are looked up in as few of them as are wanted.
  const { rows } = await sql<ListedChats>`
    with queued as materialized (${selectQueued(userId)}), ${hits}
      candidates as (select id, updated_at, ${ownTitle} as title from chats where ${readable({ id: userId }, 'chats')} ${isHit}
        order by updated_at desc, id desc offset 0),
      matching as (select id, updated_at from candidates where true ${sql.join(wordConditions, sql` `)} limit ${wanted})
    select (select count(*) from matching) as total, array(
      select id from matching order by updated_at desc, id desc offset ${offset} limit ${limit}) as ids,
      ${isComplete} as "isComplete"`.execute(trx)
  return rows[0] ?? { ids: [], total: 0, isComplete: false }
}

/** Returns the passage of each of these chats, which contain every word. The caller must know that they are the user's. */
export async function listPassages(
  trx: Db,
  chatIds: readonly string[],
  words: readonly string[],
): Promise<ReadonlyMap<string, FoundPassage>> {
  if (chatIds.length === 0) return new Map()
  const sum = (found: (word: string) => RawBuilder<boolean>) =>
    sql<number>`(${sql.join(
      words.map((word) => sql`(${found(word)})::int`),
      sql` + `,
    )})`
  const inText = sum((word) => sql`bool_or(${containsWord(sql`text`, word)})`)
  const inPart = sum((word) => containsWord(sql`folded`, word))
  // The parts are folded one after the other until one has the words, which are seldom all in the same part.
  const part = (enough: RawBuilder<unknown>) => sql`(
    select part from (select ${sql.raw(searchedSql('m'))} || '' as content offset 0) c,
      generate_series(0, greatest(length(content) - 1, 0) / ${partStep}) at,
      lateral (select substr(content, at * ${partStep} + 1, ${partChars}) as part offset 0) p,
      lateral (select ${sql.raw(foldSql('part'))} as folded offset 0) f
    where ${inPart} >= ${enough} limit 1)`
  const { rows } = await sql<FoundPassage & { readonly chat_id: string }>`
    with texts as (
        select chat_id, position, text from search_texts where chat_id = any(${chatIds}::text[])
        union all select m.chat_id, m.position, ${sql.raw(foldSql(searchedSql('m')))}
        from search_queue q join messages m on m.position = q.position
        where m.chat_id = any(${chatIds}::text[]) and ${sql.raw(searchableSql('m'))}),
      matched as (select chat_id, position, ${inText} as words from texts group by chat_id, position),
      best as (
        select distinct on (m.chat_id) m.position, f.words,
          count(*) over (partition by m.chat_id, f.words) as count
        from matched f join messages m on m.position = f.position
        where f.words > 0 and ${sql.raw(shownSql('m'))}
        order by m.chat_id, f.words desc, m.position desc)
    select m.chat_id, m.position, least(b.count, ${maxPassages}) as count,
      coalesce(${part(sql`b.words`)}, ${part(sql`1`)}, '') as part
    from best b join messages m on m.position = b.position`.execute(trx)
  return new Map(rows.map(({ chat_id, ...passage }) => [chat_id, passage]))
}

/** The user's messages in the queue, whose texts are not stored yet. */
const selectQueued = (userId: string): RawBuilder<unknown> => sql`
  select m.chat_id, ${sql.raw(foldSql(searchedSql('m')))} as text
  from search_queue q join messages m on m.position = q.position join chats c on c.id = m.chat_id
  where ${readable({ id: userId }, 'chats as c')} and ${sql.raw(searchableSql('m'))}`

/** The folded title that the user or a model wrote; null for the default one, which is the beginning of a message. */
const ownTitle = sql`case when title_source is not null then title_key end`

/** The chats of the messages and titles with a word, one row for each. */
const selectHits = (word: string, { userId, maxHits }: ListChatsQuery): RawBuilder<unknown> => sql`
  select chat_id from (
    select chat_id from search_texts where search_grams(owner, text) @@ ${tsqueryOf(word, ownerOf(userId))}::tsquery
      and ${containsWord(sql`text`, word)}
    union all select chat_id from queued where ${containsWord(sql`text`, word)}
    union all select id from chats where ${readable({ id: userId }, 'chats')} and title_source is not null
      and ${containsWord(sql`title_key`, word)}) found limit ${maxHits + 1}`

/**
 * Reads the title and the texts of one chat until one has the word. Without the union, PostgreSQL would read the texts of all chats.
 */
const chatContains = (word: string): RawBuilder<unknown> => sql`
  (coalesce(${containsWord(sql`candidates.title`, word)}, false) or exists (select 1 from (
    select text from search_texts where chat_id = candidates.id
    union all select text from queued where chat_id = candidates.id) texts where ${containsWord(sql`text`, word)}))`

/** The `owner` with which the texts of a user are stored (`postgres-search.ts`). */
function ownerOf(userId: string): string {
  return createHash('md5').update(userId).digest('hex').slice(0, ownerLength)
}

/** Messages whose texts are stored in one transaction. */
const batchSize = 50

/**
 * Stores the texts of up to `batchSize` queued messages for the search in PostgreSQL. Returns true when there may be
 * more.
 */
export async function fillSearchTexts(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await db.executeQuery<{ count: number }>(
    CompiledQuery.raw(moveQueuedTextsSql, [batchSize]),
  )
  return rows[0]?.count === batchSize
}
