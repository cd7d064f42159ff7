import { foldText } from '@yonder/contract/lib/fold-text'
import { type Kysely, sql } from 'kysely'
import { fillSearchTexts } from '../../server/chats/search/postgres-search-store.ts'
import { rowIdOf } from '../../server/chats/search/sqlite-search-store.ts'
import { splitGrams } from '../../server/chats/search/words.ts'
import type { Database } from '../../server/db/database.ts'
import type { Tables } from '../../server/db/tables/tables.ts'

/** The number of different words. A word's rank is its place by frequency. */
const vocabularySize = 30_000
const messagesPerChat = 20
const wordsPerMessage = 50
const chatsPerTransaction = 500
const indexBatch = 20_000

/** A deterministic random generator, so that every run searches the same texts. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

const starts = 'b d f g h k l m n p r s t v w st tr pl ch sh'.split(' ')
const ends = ['a', 'e', 'i', 'o', 'u', 'an', 'en', 'er', 'ing', 'ol', 'ur', 'is', 'at', 'ea', 'ou']
/** About as many as a natural language has, so that four-grams are about as selective as in real text. */
const syllables = starts.flatMap((start) => ends.map((end) => start + end))

/** Returns a unique word for each rank. */
export function wordOf(rank: number): string {
  let word = ''
  for (
    let remaining = rank + syllables.length;
    remaining > 0;
    remaining = Math.floor(remaining / syllables.length)
  ) {
    word += syllables[remaining % syllables.length]
  }
  return word
}

/** The number of different Chinese words and characters. */
const hanVocabularySize = 10_000
const hanCharacters = 2_500
/** One chat in this many is in Chinese, where no space separates words. */
const hanInterval = 20
const hanWordsPerMessage = 80

/** Returns a word of two Chinese characters for each rank. */
export function hanWordOf(rank: number): string {
  const first = 0x4e_00 + ((rank * 7_919) % hanCharacters)
  const second = 0x4e_00 + ((rank * 104_729 + Math.floor(rank / hanCharacters)) % hanCharacters)
  return String.fromCodePoint(first, second)
}

/** Roughly follows Zipf's law: the frequency of a word is about inversely proportional to its rank. */
const pickRank = (random: () => number, size: number): number =>
  Math.floor(Math.exp(random() * Math.log(size))) - 1

function writeText(random: () => number): string {
  return Array.from({ length: wordsPerMessage }, () => wordOf(pickRank(random, vocabularySize))).join(' ')
}

function writeHanText(random: () => number): string {
  const words = Array.from({ length: hanWordsPerMessage }, (_, index) => {
    const end = index % 12 === 11 ? '。' : index % 5 === 4 ? '，' : ''
    return hanWordOf(pickRank(random, hanVocabularySize)) + end
  })
  return words.join('')
}

/**
 * Fills a database until its chats have at least this many messages. Nine of ten chats belong to the user `owner`. The
 * chats of the first `filled` messages exist already.
 */
export async function fillChats({ db, dialect }: Database, messages: number, filled = 0): Promise<void> {
  const random = createRandom(1 + filled)
  const users = ['owner', ...Array.from({ length: 10 }, (_, index) => `other${index}`)]
  await db
    .insertInto('users')
    .values(
      users.map((id) => ({
        id,
        issuer: 'bench',
        subject: id,
        name: null,
        email: null,
        picture: null,
        created_at: 0,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  if (dialect.kind === 'sqlite') await stopQueue(db)
  for (let from = filled; from < messages; from += chatsPerTransaction * messagesPerChat) {
    await db.transaction().execute(async (trx) => {
      for (let chat = 0; chat < chatsPerTransaction; chat++) {
        const user = random() < 0.9 ? 'owner' : (users[1 + Math.floor(random() * 10)] ?? 'owner')
        await insertChat(trx, user, from + chat * messagesPerChat, random)
      }
    })
  }
  if (dialect.kind === 'sqlite') await indexAll(db, filled)
  else {
    while (await fillSearchTexts(db));
    await sql`vacuum analyze messages, search_texts, chats`.execute(db)
  }
}

async function insertChat(
  db: Kysely<Tables>,
  user: string,
  time: number,
  random: () => number,
): Promise<void> {
  const id = `chat${time}`
  const isHan = (time / messagesPerChat) % hanInterval === 7
  const rows = Array.from({ length: messagesPerChat }, (_, index) => ({
    chat_id: id,
    id: `m${index}`,
    parent_id: index === 0 ? null : `m${index - 1}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: isHan ? writeHanText(random) : writeText(random),
    status: 'complete',
    first_id: 'm0',
    second_id: index === 0 ? null : 'm1',
    unix_timestamp: time + index,
  }))
  await db
    .insertInto('chats')
    .values({
      id,
      user_id: user,
      selected_message_id: 'm19',
      created_at: time,
      updated_at: time + messagesPerChat,
    })
    .execute()
  await db.insertInto('messages').values(rows).execute()
}

/** The index is filled at once below. Message by message would take almost an hour. */
async function stopQueue(db: Kysely<Tables>): Promise<void> {
  await sql`drop trigger queue_new_message`.execute(db)
}

async function indexAll(db: Kysely<Tables>, filled: number): Promise<void> {
  await sql`insert or ignore into search_users (user_id) select id from users order by id desc`.execute(db)
  const rowId = sql.raw(rowIdOf('u.number', 'm.position', '0'))
  for (let from = filled; ; from += indexBatch) {
    const rows = await sql<{ id: string; content: string }>`
      select cast(${rowId} as text) as id, m.content from messages m join chats c on c.id = m.chat_id
      join search_users u on u.user_id = c.user_id
      where m.position > ${from} and m.position <= ${from + indexBatch}`.execute(db)
    if (rows.rows.length === 0) break
    await db.transaction().execute(async (trx) => {
      for (const { id, content } of rows.rows) {
        await sql`insert into message_search (rowid, grams)
          values (cast(${id} as integer), ${splitGrams(foldText(content))})`.execute(trx)
      }
    })
  }
  await sql`create trigger queue_new_message after insert on messages when new.status <> 'streaming' begin
    insert or ignore into search_queue (position) values (new.position); end`.execute(db)
}
