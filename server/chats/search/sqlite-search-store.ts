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

export interface QueuedText {
  readonly chat_id: string
  readonly content: string
}

/** A message that the index returns for a word. For a word of more than four characters, its text must be checked. */
export interface Hit {
  readonly position: number
  readonly chatId: string
  /** Null when the text was not asked for. */
  readonly content: string | null
}

/**
 * Reads the search index of a SQLite file on a connection of its own. An iteration (`iterate…`) must end before the
 * next one of its kind begins.
 */
export interface SearchReader {
  findUserNumber(userId: string): number | undefined
  /** Positions of the newest messages of one user that match the expression, newest first; a position may occur twice. */
  listHits(user: number, expression: string, limit: number): number[]
  /** The messages of one user that match the expression, newest first; a message may occur twice. */
  iterateHits(user: number, expression: string, withContent: boolean): Iterable<Hit>
  /** Those of one user among the newest `limit` messages of all users that are not indexed yet. */
  listQueued(userId: string, limit: number): QueuedText[]
  /** One user's chats, newest first. */
  iterateChats(userId: string): Iterable<string>
  /** A page of these chats, newest first. */
  sortChats(chatIds: readonly string[], page: { readonly offset: number; readonly limit: number }): string[]
  /** The position of a chat's first message. */
  findFirstPosition(chatId: string): number | undefined
  /** The texts of a chat's finished messages. */
  iterateTexts(chatId: string): Iterable<string>
}

/** The SQL condition for the messages that are searched. Results of tools, which are user messages with a `server`, are not. */
const searchableSql = `status <> 'streaming' and (server is null or role = 'assistant')`

const positionOf = (rowId: string) => `((${rowId} >> ${chunkBits}) & ${2 ** positionBits - 1})`
const hitsSql = (join = '') => `
  from message_search s ${join} where s.message_search match ? and s.rowid >= ${rowIdOf('cast(? as integer)', '0', '0')}
  and s.rowid < ${rowIdOf('cast(? as integer)', '0', '0')} order by s.rowid desc`
const messagesOfHitsSql = hitsSql(`cross join messages m on m.position = ${positionOf('s.rowid')}`)

export function createSearchReader(file: BetterSqlite.Database): SearchReader {
  const userNumber = file.prepare<[string], { number: number }>(
    'select number from search_users where user_id = ?',
  )
  const newestHits = file
    .prepare<unknown[], number>(`select ${positionOf('s.rowid')} ${hitsSql()} limit ?`)
    .pluck()
  // One statement for the index and the messages takes half the time of one for each message.
  const hits = file.prepare<unknown[], Hit>(
    `select m.position, m.chat_id as chatId, null as content ${messagesOfHitsSql}`,
  )
  const hitsWithContent = file.prepare<unknown[], Hit>(
    `select m.position, m.chat_id as chatId, m.content ${messagesOfHitsSql}`,
  )
  // `cross` makes SQLite start with the short queue, and not with the user's many messages.
  const queued = file.prepare<[number, string], QueuedText>(
    `select m.chat_id, m.content from (select position from search_queue order by position desc limit ?) q
     cross join messages m on m.position = q.position cross join chats c on c.id = m.chat_id where c.user_id = ?`,
  )
  const chats = file
    .prepare<[string], string>('select id from chats where user_id = ? order by updated_at desc, id desc')
    .pluck()
  const sorted = file
    .prepare<[string, number, number], string>(
      `select c.id from json_each(?) wanted cross join chats c on c.id = wanted.value
       order by c.updated_at desc, c.id desc limit ? offset ?`,
    )
    .pluck()
  const start = file.prepare<[string], { position: number }>(
    'select position from messages where chat_id = ? order by unix_timestamp limit 1',
  )
  const texts = file
    .prepare<[string], string>(`select content from messages where chat_id = ? and ${searchableSql}`)
    .pluck()

  return {
    findUserNumber: (userId) => userNumber.get(userId)?.number,
    listHits: (user, expression, limit) => newestHits.all(expression, user, user + 1, limit),
    iterateHits: (user, expression, withContent) =>
      (withContent ? hitsWithContent : hits).iterate(expression, user, user + 1),
    listQueued: (userId, limit) => queued.all(limit, userId),
    iterateChats: (userId) => chats.iterate(userId),
    sortChats: (chatIds, { offset, limit }) => sorted.all(JSON.stringify(chatIds), limit, offset),
    findFirstPosition: (chatId) => start.get(chatId)?.position,
    iterateTexts: (chatId) => texts.iterate(chatId),
  }
}
