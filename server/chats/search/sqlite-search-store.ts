import type BetterSqlite from 'better-sqlite3'
import { ofUserSql, readableChatSql } from '../../access/of-user-sql.ts'
import { searchableSql, searchedSql, shownSql } from '../../db/dialects/searchable-sql.ts'

/*
 * A row of the index is a chunk of one message. Its row id consists of the user's number, the message's position (its
 * number among the messages of all chats) and the chunk's number, so that one user's rows are adjacent, newest last,
 * and no other user's rows are read.
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

const positionOf = (rowId: string) => `((${rowId} >> ${chunkBits}) & ${2 ** positionBits - 1})`
const hitsSql = (join = '') => `
  from message_search s ${join} where s.message_search match ? and s.rowid >= ${rowIdOf('cast(? as integer)', '0', '0')}
  and s.rowid < ${rowIdOf('cast(? as integer)', '0', '0')} order by s.rowid desc`
const messagesOfHitsSql = hitsSql(`cross join messages m on m.position = ${positionOf('s.rowid')}`)

/** Texts of a chat that are read at once. A text has at most about a million characters. */
const maxJoinedTexts = 32

/** Milliseconds by which a message may have an earlier time than one that was written before it, in another chat. */
const maxTimeDifferenceMs = 60_000

const oldestQueuedTimeSql = `(select m.unix_timestamp - ${maxTimeDifferenceMs} from search_queue q
  cross join messages m on m.position = q.position order by q.position limit 1)`

/**
 * The queue may be long, for example after a restore, and does not name the users. So the second part finds the user's
 * queued messages by the indexes on time: only among chats and messages since the oldest queued message. The first part
 * also finds new messages whose times are out of order. `cross` keeps the order of the tables.
 */
const queuedSql = `select m.chat_id, ${searchedSql('m')} as content from (
    select position from (select position from search_queue order by position desc limit @limit)
    union
    select position from (
      select m.position from chats c
      cross join messages m on m.chat_id = c.id and m.unix_timestamp >= ${oldestQueuedTimeSql}
      cross join search_queue q on q.position = m.position
      where ${readableChatSql('c')} and c.updated_at >= ${oldestQueuedTimeSql}
      order by c.updated_at desc, m.unix_timestamp desc limit @limit)
  ) q cross join messages m on m.position = q.position cross join chats c on c.id = m.chat_id where ${readableChatSql('c')}`

/** A message with its whole text. */
export interface MessageText {
  readonly position: number
  readonly content: string
}

/** The folded title that the user or a model wrote; empty for the default one, which is the beginning of a message. */
const ownTitleSql = `iif(title_source is null, '', title_key)`

export type SearchReader = ReturnType<typeof createSearchReader>

/**
 * Reads the search index of a SQLite file on a connection of its own. An iteration (`iterate…`) must end before the
 * next one of its kind begins.
 */
export function createSearchReader(database: BetterSqlite.Database) {
  const userNumber = database.prepare<[{ userId: string }], { number: number }>(
    `select number from search_users where ${ofUserSql('search_users')}`,
  )
  const newestHits = database
    .prepare<unknown[], number>(`select ${positionOf('s.rowid')} ${hitsSql()} limit ?`)
    .pluck()
  // One statement for the index and the messages takes half the time of one for each message.
  const hits = database.prepare<unknown[], Hit>(
    `select m.position, m.chat_id as chatId, null as content ${messagesOfHitsSql}`,
  )
  const hitsWithContent = database.prepare<unknown[], Hit>(
    `select m.position, m.chat_id as chatId, ${searchedSql('m')} as content ${messagesOfHitsSql}`,
  )
  const queued = database.prepare<[{ userId: string; limit: number }], QueuedText>(queuedSql)
  const chats = database.prepare<[{ userId: string }], { readonly id: string; readonly title: string }>(
    `select id, ${ownTitleSql} as title from chats where ${readableChatSql('chats')}
     order by updated_at desc, id desc`,
  )
  const title = database.prepare<[string], string>(`select ${ownTitleSql} from chats where id = ?`).pluck()
  const titled = database
    .prepare<[{ userId: string; word: string }], string>(
      `select id from chats
       where ${readableChatSql('chats')} and title_source is not null and instr(title_key, @word) > 0`,
    )
    .pluck()
  const deleted = database
    .prepare<[{ userId: string }], string>(
      `select id from chats where ${ofUserSql('chats')} and deleted_at is not null`,
    )
    .pluck()
  const sorted = database
    .prepare<[string, number, number], string>(
      `select c.id from json_each(?) wanted cross join chats c on c.id = wanted.value
       order by c.updated_at desc, c.id desc limit ? offset ?`,
    )
    .pluck()
  const firstPosition = database.prepare<[string], { position: number }>(
    'select position from messages where chat_id = ? order by unix_timestamp limit 1',
  )
  const textsSql = `select ${searchedSql('m')} as content from messages m where chat_id = ? and ${searchableSql('m')} order by unix_timestamp`
  const texts = database.prepare<[string], string>(textsSql).pluck()
  const firstTexts = database.prepare<[string], { count: number; joined: string | null }>(
    `select count(*) as count, group_concat(content, char(10)) as joined from (${textsSql} limit ${maxJoinedTexts})`,
  )
  const furtherTexts = database
    .prepare<[string], string>(`${textsSql} limit -1 offset ${maxJoinedTexts}`)
    .pluck()
  const messages = database.prepare<[string], MessageText>(
    `select m.position, ${searchedSql('m')} as content from messages m where m.chat_id = ? and ${searchableSql('m')} and ${shownSql('m')}
     order by m.unix_timestamp desc`,
  )

  return {
    findUserNumber: (userId: string) => userNumber.get({ userId })?.number,
    /** Positions of the newest messages of one user that match the expression, newest first. A position may recur. */
    listHits: (user: number, expression: string, limit: number) =>
      newestHits.all(expression, user, user + 1, limit),
    /** The messages of one user that match the expression, newest first. A message may recur. */
    iterateHits: (user: number, expression: string, withContent: boolean) =>
      (withContent ? hitsWithContent : hits).iterate(expression, user, user + 1),
    /**
     * Messages of one user that are not indexed yet: the `limit` newest ones of the chats that changed last, and those
     * among the `limit` newest ones of all users.
     */
    listQueued: (userId: string, limit: number) => queued.all({ userId, limit }),
    /** One user's chats with their own titles, newest first. */
    iterateChats: (userId: string) => chats.iterate({ userId }),
    /** A chat's own title. */
    findTitle: (chatId: string) => title.get(chatId) ?? '',
    /** The ids of the user's chats whose own title contains the word. */
    listTitled: (userId: string, word: string) => titled.all({ userId, word }),
    /** The ids of the user's deleted chats, whose messages stay in the index. */
    listDeleted: (userId: string) => deleted.all({ userId }),
    /** A page of these chats, newest first. */
    sortChats: (chatIds: readonly string[], page: { readonly offset: number; readonly limit: number }) =>
      sorted.all(JSON.stringify(chatIds), page.limit, page.offset),
    /** The position of a chat's first message. */
    findFirstPosition: (chatId: string) => firstPosition.get(chatId)?.position,
    /** The texts of a chat's finished messages, without results of tools. */
    iterateTexts: (chatId: string) => texts.iterate(chatId),
    /** The messages of a chat that a search finds and that the chat shows, newest first. */
    iterateMessages: (chatId: string) => messages.iterate(chatId),
    /** The same as `iterateTexts`, the first ones joined by line ends, which takes half the time when all are read. */
    *iterateJoinedTexts(chatId: string) {
      const first = firstTexts.get(chatId)
      yield first?.joined ?? ''
      if (first?.count === maxJoinedTexts) yield* furtherTexts.iterate(chatId)
    },
  }
}
