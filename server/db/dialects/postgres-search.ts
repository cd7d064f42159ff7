import { searchableSql, searchedSql } from './searchable-sql.ts'

/*
 * The search index of PostgreSQL. `search_texts` has the folded text of every searched message, in chunks, and its
 * index has, for each chunk, every four consecutive characters of its words and the last one, two and three of each
 * word, as `splitGrams` returns them for SQLite. Each gram begins with a hash of its owner, so that a search reads few
 * entries of other users. Triggers queue every finished message, whichever process wrote it, and
 * `postgres-search-store.ts` stores the texts, so that no write waits for the grams.
 */

/** Characters from the start of a chunk to the start of the next one. */
const chunkStep = 2_000
/** Characters that a chunk shares with the next one: at least as many as a search may have. */
const chunkOverlap = 512
/** A long word is cut into pieces of this length, because `substr` is slow far from the start of a text. */
const pieceLength = 64

/**
 * Hex digits of the hash of a user's id in the index. Two users may share them, so a search compares the chat's owner
 * too.
 */
export const ownerLength = 6

/** Kilobytes of new entries that every search reads one by one. A write that exceeds this moves them into the index. */
const maxPendingKb = 512

/** A regular expression for the characters that Unicode calls `Default_Ignorable_Code_Point`. */
const invisible = String.raw`[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]`

/** SQL that converts a text to the form in which texts are compared, as `foldText` does. */
export const foldSql = (text: string): string =>
  `translate(replace(replace(regexp_replace(lower(normalize(${text}, NFKC)), '${invisible}', '', 'g'),
    U&'i\\0307', 'i'), 'ß', 'ss'), 'ςı', 'σi')`

const insertTextsSql = (from: string): string => `
  insert into search_texts (position, chunk, chat_id, owner, text)
  select m.position, chunk, m.chat_id, left(md5(c.user_id), ${ownerLength}),
    substr(folded, chunk * ${chunkStep} + 1, ${chunkStep + chunkOverlap})
  from ${from} join chats c on c.id = m.chat_id
    cross join lateral (select ${foldSql(searchedSql('m'))} as folded offset 0) f,
    generate_series(0, greatest(length(folded) - ${chunkOverlap + 1}, 0) / ${chunkStep}) chunk
  where ${searchableSql('m')}
  on conflict do nothing`

/**
 * A statement that stores the texts of the `$1` oldest queued messages that no other node stores now. It waits for no
 * lock: a message that another transaction is deleting stays in the queue until it is deleted. Waiting could end in a
 * deadlock, or in an error because the message of a text no longer exists.
 */
export const moveQueuedTextsSql = `
  with queued as (
    select position from search_queue order by position limit $1 for update skip locked
  ), held as (
    select * from messages where position = any(array(select position from queued)) for key share skip locked
  ), taken as (
    delete from search_queue q where position = any(array(select position from queued)) and (
      position in (select position from held)
      or not exists (select from messages m where m.position = q.position))
  ), stored as (${insertTextsSql('held m')})
  select (select count(*) from queued) as count`

/** A statement that queues every message again that was indexed with another `foldSql`, which left ASCII as it is now. */
export const queueFoldedAgainSql = `
  with old as (
    delete from search_texts where position in (select position from search_texts where text ~ '[^\\x01-\\x7f]')
    returning position)
  insert into search_queue (position) select distinct position from old on conflict do nothing`

/** The statements that create the tables, the index and the triggers of the search. */
export const searchIndexSchema: readonly string[] = [
  `create table search_texts (
    position bigint not null references messages (position) on delete cascade,
    chunk integer not null, chat_id text not null, owner text not null, text text not null,
    primary key (position, chunk))`,
  // The body calls only functions of PostgreSQL itself, because the search path of a restore and of an ANALYZE has no
  // others. JIT would compile it for every row, which takes 200 ms, and a function in SQL would be planned again for
  // every statement.
  `create function search_grams(owner text, folded text) returns tsvector
    language plpgsql immutable strict parallel safe set jit = off as $$ begin return (
    select array_to_tsvector(array_agg(owner || substr(part, at, 4)))
    from (
      select distinct substr(word, piece * ${pieceLength} + 1, ${pieceLength + 3}) as part
      from string_to_table(translate(folded, E'\\n\\t', '  '), ' ') word,
        generate_series(0, (length(word) - 1) / ${pieceLength}) piece
    ) parts, generate_series(1, least(length(part), ${pieceLength})) at); end $$`,
  `create index search_texts_by_gram on search_texts using gin (search_grams(owner, text))
    with (gin_pending_list_limit = ${maxPendingKb})`,
  `create index search_texts_by_chat on search_texts (chat_id, position)`,
  `create table search_queue (position bigint primary key)`,
  `create function queue_search_text() returns trigger language plpgsql as $$ begin
    insert into search_queue (position) values (new.position) on conflict do nothing;
    return null; end $$`,
  `create trigger queue_new_message after insert on messages for each row
    when (new.status <> 'streaming') execute function queue_search_text()`,
  `create trigger queue_ended_reply after update of status on messages for each row
    when (old.status = 'streaming' and new.status <> 'streaming') execute function queue_search_text()`,
]
