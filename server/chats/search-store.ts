import type SqliteFile from 'better-sqlite3'

/*
 * A row of the trigram index is a piece of one message. Its row id is made of the person's number, the message's position
 * and the piece, so that one person's rows lie together, newest last, and nobody else's are walked.
 */
const pieceBits = 9
const positionBits = 33

/** Characters of a piece, and how many of them the next piece repeats: a word may lie across the border. */
export const pieceLength = 4_096
export const pieceOverlap = 64
/** Pieces of one message that are indexed; with them the longest reply is whole. */
export const mostPieces = 2 ** pieceBits

/** The SQL of a row id; `user` and `position` are SQL too. */
export function rowIdOf(user: string, position: string, piece: string): string {
  return `((${user} << ${positionBits + pieceBits}) | (${position} << ${pieceBits}) | ${piece})`
}

export interface IndexedText {
  readonly chat_id: string
  readonly content: string
}

/** What a search reads from a SQLite file, on a connection of its own. */
export interface SearchReader {
  findUserNumber(userId: string): number | undefined
  /** Positions of one person's messages that the expression matches, newest first; one may come twice. */
  iterateHits(user: number, expression: string): Iterable<number>
  /** The newest finished messages of one person that are not indexed yet. */
  listWaiting(userId: string, limit: number): (IndexedText & { readonly position: number })[]
  findText(position: number): IndexedText | undefined
  /** One person's chats, newest first. */
  iterateChats(userId: string): Iterable<{ readonly id: string }>
  findUpdateTime(chatId: string): number
  /** The position of a chat's first message. */
  findFirstPosition(chatId: string): number | undefined
  /** The texts of a chat's finished messages before a position. */
  iterateTexts(chatId: string, before: number): Iterable<string>
  /** Trigrams that begin with these characters, up to `limit`. */
  listTerms(prefix: string, limit: number): string[]
}

const readable = `status <> 'streaming' and (server is null or role = 'assistant')`

export function createSearchReader(file: SqliteFile.Database): SearchReader {
  const first = file.prepare<[string], { number: number }>(
    'select number from search_users where user_id = ?',
  )
  const hits = `select (rowid >> ${pieceBits}) & ${2 ** positionBits - 1} as position from message_search
    where message_search match ? and rowid >= ${rowIdOf('cast(? as integer)', '0', '0')}
    and rowid < ${rowIdOf('cast(? as integer)', '0', '0')} order by rowid desc`
  const waiting = file.prepare<[number, string], IndexedText & { position: number }>(
    `select m.position, m.chat_id, m.content from (select position from search_queue order by position desc limit ?) q
     join messages m on m.position = q.position join chats c on c.id = m.chat_id where c.user_id = ?`,
  )
  const text = file.prepare<[number], IndexedText>('select chat_id, content from messages where position = ?')
  const chats = 'select id from chats where user_id = ? order by updated_at desc, id desc'
  const time = file.prepare<[string], { updated_at: number }>('select updated_at from chats where id = ?')
  const start = file.prepare<[string], { position: number }>(
    'select position from messages where chat_id = ? order by unix_timestamp limit 1',
  )
  const texts = `select content from messages where chat_id = ? and position < ? and ${readable}`
  const terms = file
    .prepare<[string, string, number]>(
      'select term from message_search_terms where term >= ? and term < ? limit ?',
    )
    .pluck()

  return {
    findUserNumber: (userId) => first.get(userId)?.number,
    // A statement that is walked cannot be walked again meanwhile: each walk has its own.
    iterateHits: (user, expression) =>
      file
        .prepare<unknown[], number>(hits)
        .pluck()
        .iterate(expression, user, user + 1) as Iterable<number>,
    listWaiting: (userId, limit) => waiting.all(limit, userId),
    findText: (position) => text.get(position),
    iterateChats: (userId) => file.prepare<[string], { id: string }>(chats).iterate(userId),
    findUpdateTime: (chatId) => time.get(chatId)?.updated_at ?? 0,
    findFirstPosition: (chatId) => start.get(chatId)?.position,
    iterateTexts: (chatId, before) =>
      file.prepare<[string, number], string>(texts).pluck().iterate(chatId, before) as Iterable<string>,
    listTerms: (prefix, limit) => terms.all(prefix, `${prefix}\u{10FFFF}`, limit) as string[],
  }
}
