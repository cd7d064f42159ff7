import type BetterSqlite from 'better-sqlite3'

/*
 * A row of the index is a chunk of one message. Its row id consists of the user's number, the message's position (its number
 * among the messages of all chats) and the chunk's number, so that one user's rows are adjacent, newest last, and no other user's rows are read.
 */
const chunkBits = 9
const positionBits = 33

/** Characters of a chunk, and characters that the next chunk repeats, because a word may be split between chunks. */
export const chunkLength = 4_096
export const chunkOverlap = 64
/** The maximum number of chunks indexed of one message, enough for the longest reply. */
export const maxChunks = 2 ** chunkBits

/** The SQL of a row id; `user` and `position` are SQL too. */
export function rowIdOf(user: string, position: string, chunk: string): string {
  return `((${user} << ${positionBits + chunkBits}) | (${position} << ${chunkBits}) | ${chunk})`
}

export interface IndexedText {
  readonly chat_id: string
  readonly content: string
}

/**
 * Reads the search index of a SQLite file on a connection of its own. An iteration (`iterate…`) must end before the
 * next one of its kind begins.
 */
export interface SearchReader {
  findUserNumber(userId: string): number | undefined
  /** Positions of one user's messages that match the expression, newest first; a position may occur twice. */
  iterateHits(user: number, expression: string): Iterable<number>
  /** The newest finished messages of one user that are not indexed yet. */
  listQueued(userId: string, limit: number): (IndexedText & { readonly position: number })[]
  findText(position: number): IndexedText | undefined
  /** The chat of a message. */
  findChatId(position: number): string | undefined
  /** One user's chats, newest first. */
  iterateChats(userId: string): Iterable<{ readonly id: string }>
  findUpdateTime(chatId: string): number
  /** The position of a chat's first message. */
  findFirstPosition(chatId: string): number | undefined
  /** The texts of a chat's finished messages before a position. */
  iterateTexts(chatId: string, before: number): Iterable<string>
}

/** The results of tools, which are user messages with a `server`, are not searched. */
const isSearchable = `status <> 'streaming' and (server is null or role = 'assistant')`

export function createSearchReader(file: BetterSqlite.Database): SearchReader {
  const userNumber = file.prepare<[string], { number: number }>(
    'select number from search_users where user_id = ?',
  )
  const hits = file
    .prepare<
      unknown[],
      number
    >(`select (rowid >> ${chunkBits}) & ${2 ** positionBits - 1} as position from message_search
    where message_search match ? and rowid >= ${rowIdOf('cast(? as integer)', '0', '0')}
    and rowid < ${rowIdOf('cast(? as integer)', '0', '0')} order by rowid desc`)
    .pluck()
  // `cross` makes SQLite start with the short queue, and not with the user's many messages.
  const queued = file.prepare<[number, string], IndexedText & { position: number }>(
    `select m.position, m.chat_id, m.content from (select position from search_queue order by position desc limit ?) q
     cross join messages m on m.position = q.position cross join chats c on c.id = m.chat_id where c.user_id = ?`,
  )
  const text = file.prepare<[number], IndexedText>('select chat_id, content from messages where position = ?')
  const chat = file.prepare<[number], { chat_id: string }>('select chat_id from messages where position = ?')
  const chats = file.prepare<[string], { id: string }>(
    'select id from chats where user_id = ? order by updated_at desc, id desc',
  )
  const time = file.prepare<[string], { updated_at: number }>('select updated_at from chats where id = ?')
  const start = file.prepare<[string], { position: number }>(
    'select position from messages where chat_id = ? order by unix_timestamp limit 1',
  )
  const texts = file
    .prepare<[string, number], string>(
      `select content from messages where chat_id = ? and position < ? and ${isSearchable}`,
    )
    .pluck()

  return {
    findUserNumber: (userId) => userNumber.get(userId)?.number,
    iterateHits: (user, expression) => hits.iterate(expression, user, user + 1) as Iterable<number>,
    listQueued: (userId, limit) => queued.all(limit, userId),
    findText: (position) => text.get(position),
    findChatId: (position) => chat.get(position)?.chat_id,
    iterateChats: (userId) => chats.iterate(userId),
    findUpdateTime: (chatId) => time.get(chatId)?.updated_at ?? 0,
    findFirstPosition: (chatId) => start.get(chatId)?.position,
    iterateTexts: (chatId, before) => texts.iterate(chatId, before) as Iterable<string>,
  }
}
