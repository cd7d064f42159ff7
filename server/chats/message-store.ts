import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TreeNode } from '@yonder/contract/lib/last-shown-leaf'
import { FileRef, type Message, type MessageContent } from '@yonder/contract/message'
import { contentOfMessage, filesOfContent, textOfContent, toContent } from '@yonder/contract/message-text'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type Actor, readable } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import { prepareQuery } from '../db/dialects/prepare-query.ts'
import type { MessageRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'

/** A message to append. `appendMessage` sets its parent and its time. */
export type NewMessage = Pick<MessageRow, 'chat_id' | 'id' | 'role' | 'content' | 'status'> &
  Partial<
    Pick<
      MessageRow,
      'files' | 'file_names' | 'model' | 'bot_id' | 'bot' | 'connector_id' | 'server' | 'tool' | 'outcome'
    >
  >

type ContentColumns = Pick<MessageRow, 'content' | 'files'>
type WrittenContent = ContentColumns & Pick<MessageRow, 'file_names'>

/** Converts the content of a message to its columns. */
export function toContentColumns(content: MessageContent): WrittenContent {
  const files = filesOfContent(content)
  return {
    content: textOfContent(content),
    files: files.length === 0 ? null : JSON.stringify(files),
    file_names: files.length === 0 ? null : files.map(({ name }) => name).join('\n'),
  }
}

const Files = z.array(FileRef)

/** Reads the content of a message from its columns. */
export function contentOf({ content, files }: ContentColumns): MessageContent {
  return files === null ? content : toContent(content, Files.parse(JSON.parse(files)))
}

/** Converts a reply to its columns. */
export function toFilledReply(reply: Message) {
  return {
    ...toContentColumns(contentOfMessage(reply)),
    reasoning: reply.reasoning ?? null,
    status: reply.status,
    error_code: reply.error?.code ?? null,
    error_message: reply.error?.message ?? null,
    model: reply.model ?? null,
    provider: reply.provider ?? null,
    usage: reply.usage === undefined ? null : JSON.stringify(reply.usage),
    finish: reply.finish ?? null,
    server: reply.server ?? null,
    tool: reply.tool ?? null,
    arguments: reply.arguments ?? null,
    notice: reply.notice ?? null,
    left_out_tools: reply.left_out_tools === undefined ? null : JSON.stringify(reply.left_out_tools),
  }
}

type FilledReply = ReturnType<typeof toFilledReply>

/** Changed fields of a message. */
export type MessageChange = Partial<
  FilledReply & Pick<MessageRow, 'connector_id' | 'call_state' | 'call' | 'selected_at'>
>

/** True for a user message that contains a tool's result. */
export function isToolResult({
  role,
  server,
}: {
  readonly role: string
  readonly server: string | null
}): boolean {
  return role === 'user' && server !== null
}

/** The maximum number of messages sent to a model. After a summary, the last turn may have more. */
export const maxPathMessages = 1_000

/** The columns of a message as they are before anything is written. */
const emptyMessage: MessageRow = {
  position: 0,
  chat_id: '',
  id: '',
  parent_id: null,
  role: '',
  content: '',
  files: null,
  file_names: null,
  reasoning: null,
  status: '',
  error_code: null,
  error_message: null,
  model: null,
  provider: null,
  bot_id: null,
  bot: null,
  usage: null,
  finish: null,
  first_id: '',
  second_id: null,
  connector_id: null,
  server: null,
  tool: null,
  arguments: null,
  call_state: null,
  call: null,
  outcome: null,
  notice: null,
  left_out_tools: null,
  unix_timestamp: 0,
  selected_at: null,
}

const { bot: _bot, server: _server, ...otherColumns } = emptyMessage
const otherNames = Object.keys(otherColumns) as (keyof typeof otherColumns)[]

const messageInsert = prepareQuery((db, { position: _, ...message }: MessageRow) =>
  db
    .insertInto('messages')
    .values({ ...message, unix_timestamp: afterLatest(message.chat_id, message.unix_timestamp) })
    // The other columns are known.
    .returning(['position', 'unix_timestamp'])
    .compile(),
)

/**
 * Appends a message below `parent`. Its time is `now`, or later if needed to be after every other message of the chat.
 * The caller must have locked the chat (`lockChat`).
 */
export async function appendMessage(
  trx: Db,
  message: NewMessage,
  parent: Pick<MessageRow, 'id' | 'first_id' | 'second_id'> | null,
  now: number,
): Promise<MessageRow> {
  const row: MessageRow = {
    ...emptyMessage,
    ...message,
    parent_id: parent?.id ?? null,
    first_id: parent?.first_id ?? message.id,
    second_id: parent === null ? null : (parent.second_id ?? message.id),
    unix_timestamp: now,
  }
  const { rows } = await messageInsert(trx, row)
  const [stored] = rows
  if (stored === undefined) throw new Error('the database returned no row for a message')
  return { ...row, ...stored }
}

/** Returns the time of a chat's latest message, in milliseconds since 1970; 0 in a chat without messages. */
export async function findLatestTime(db: Db, chatId: string): Promise<number> {
  const row = await db
    .selectFrom('messages')
    .select('unix_timestamp')
    .where('chat_id', '=', chatId)
    .orderBy('unix_timestamp', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.unix_timestamp ?? 0
}

/** The SQL for `now`, or for the millisecond after the chat's latest message if that is later. */
function afterLatest(chatId: string, now: number) {
  return sql<number>`coalesce((
    select case when unix_timestamp < ${now} then ${now} else unix_timestamp + 1 end
    from messages where chat_id = ${chatId} order by unix_timestamp desc limit 1), ${now})`
}

/** Selects messages `m`, with today's names of their bots and connectors, or the stored ones of deleted ones. */
export function selectMessages(db: Db) {
  return db
    .selectFrom('messages as m')
    .leftJoin('bots as b', 'b.id', 'm.bot_id')
    .leftJoin('connectors as c', 'c.id', 'm.connector_id')
    .select(otherNames.map((column) => `m.${column}` as const))
    .select(({ fn }) => [
      fn.coalesce('b.name', 'm.bot').as('bot'),
      fn.coalesce('c.name', 'm.server').as('server'),
    ])
}

const messageQuery = prepareQuery((db, message: { readonly chatId: string; readonly id: string }) =>
  selectMessages(db).where('m.chat_id', '=', message.chatId).where('m.id', '=', message.id).compile(),
)

export async function findMessage(db: Db, chatId: string, id: string): Promise<MessageRow | undefined> {
  return (await messageQuery(db, { chatId, id })).rows[0]
}

/** Returns those of the ids that messages of a chat have. */
export async function listKnownMessages(
  db: Db,
  chatId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('messages')
    .select('id')
    .where('chat_id', '=', chatId)
    .where('id', 'in', [...ids])
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Returns the fields of a parent that `appendMessage` needs. Rejects when the message does not exist. */
export function requireParent(
  db: Db,
  chatId: string,
  id: string,
): Promise<Pick<MessageRow, 'id' | 'first_id' | 'second_id'>> {
  return db
    .selectFrom('messages')
    .select(['id', 'first_id', 'second_id'])
    .where('chat_id', '=', chatId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** Returns the notices of the bot's replies in this chat. */
export async function listNotices(db: Db, chatId: string, botId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('messages')
    .select('notice')
    .distinct()
    .where('chat_id', '=', chatId)
    .where('bot_id', '=', botId)
    .where('notice', 'is not', null)
    .execute()
  return rows.flatMap(({ notice }) => notice ?? [])
}

/** A reply that failed because the provider refused a file, which the message of the error names. */
export interface FileRefusal {
  readonly id: string
  readonly message: string
}

/** Returns the refusals of files that a chat's messages were answered with by a model, in no order. */
export async function listFileRefusals(
  db: Db,
  chatId: string,
  model: string,
): Promise<readonly FileRefusal[]> {
  const rows = await db
    .selectFrom('messages')
    .select(['id', 'error_message'])
    .where('chat_id', '=', chatId)
    .where('error_code', '=', 'file_refused')
    .where('model', '=', model)
    .execute()
  return rows.map(({ id, error_message }) => ({ id, message: error_message ?? '' }))
}

/** Returns the messages directly under a message, oldest first: replies, results, or messages that the user wrote. */
export function listChildren(db: Db, chatId: string, parentId: string): Promise<MessageRow[]> {
  return selectMessages(db)
    .where('m.chat_id', '=', chatId)
    .where('m.parent_id', '=', parentId)
    .orderBy('m.unix_timestamp')
    .execute()
}

/** Returns how many replies a message has besides one. Their texts are not read. */
export async function countReplies(
  db: Db,
  { chat_id, id }: Pick<MessageRow, 'chat_id' | 'id'>,
  exceptId: string,
): Promise<number> {
  const { count } = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('chat_id', '=', chat_id)
    .where('parent_id', '=', id)
    .where('role', '=', 'assistant')
    .where('id', '<>', exceptId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** What is read of all messages of a chat or path before their texts. */
export type MessagePlace = SizedMessage &
  Pick<MessageRow, 'parent_id' | 'role' | 'status' | 'server' | 'call_state' | 'unix_timestamp'>

interface SizedMessage {
  readonly id: string
  /** The size of its texts. */
  readonly bytes: number
}

/** Places of one query: their texts are skipped, which takes time too. */
const maxPlaces = 500

/** Returns the places of all messages of a chat, oldest first. */
export async function listPlaces(db: Db, chatId: string): Promise<MessagePlace[]> {
  const places: MessagePlace[] = []
  for (let isLast = false; !isLast;) {
    const page = await selectPlaces(db)
      .where('m.chat_id', '=', chatId)
      .where('m.unix_timestamp', '>', places.at(-1)?.unix_timestamp ?? -1)
      .orderBy('m.unix_timestamp')
      .limit(maxPlaces)
      .execute()
    places.push(...page)
    isLast = page.length < maxPlaces
    if (!isLast) await nextTurn()
  }
  return places
}

function selectPlaces(db: Db) {
  return db
    .selectFrom('messages as m')
    .select(['m.id', 'm.parent_id', 'm.role', 'm.status', 'm.server', 'm.call_state', 'm.unix_timestamp'])
    .select(bytesOf('m', ['content', 'reasoning', 'arguments', 'call', 'outcome']).as('bytes'))
}

/** The SQL of the size of these columns. The database reads it without reading the texts. */
export function bytesOf(table: string, columns: readonly (keyof MessageRow)[]) {
  const sizes = columns.map((column) => sql`coalesce(octet_length(${sql.ref(`${table}.${column}`)}), 0)`)
  return sql<number>`${sql.join(sizes, sql` + `)}`
}

/** Messages of one query, and the size of their texts unless one alone has more. */
const maxPageMessages = 200
const maxPageBytes = 262_144

/**
 * Reads messages in pages, in the order of their places. The calls of the messages are in the state of their places.
 * @throws AppError `not_found` when the chat is deleted meanwhile
 */
export async function* readMessages(
  db: Db,
  chatId: string,
  places: readonly MessagePlace[],
): AsyncGenerator<MessageRow[]> {
  for (const page of pagesOf(places)) {
    const ids = page.map(({ id }) => id)
    const rows = await selectMessages(db).where('m.chat_id', '=', chatId).where('m.id', 'in', ids).execute()
    const found = new Map(rows.map((row) => [row.id, row]))
    yield page.map(({ id, call_state }) => {
      const row = found.get(id)
      if (row === undefined) throw new AppError('not_found', 'This chat was deleted while it was being read.')
      return { ...row, call_state }
    })
  }
}

function* pagesOf<Place extends SizedMessage>(places: readonly Place[]): Generator<readonly Place[]> {
  let page: Place[] = []
  let bytes = 0
  for (const place of places) {
    bytes += place.bytes
    if (page.length > 0 && (page.length === maxPageMessages || bytes > maxPageBytes)) {
      yield page
      page = []
      bytes = place.bytes
    }
    page.push(place)
  }
  if (page.length > 0) yield page
}

/** Returns today's names of a user's connectors, by id. */
export async function listConnectorNames(db: Db, actor: Actor): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('connectors')
    .select(['id', 'name'])
    .where(readable(actor, 'connectors'))
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Returns the ids of those results of a chat whose connector keeps its pictures from models. */
export async function listHiddenPictures(db: Db, chatId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('message_files as f')
    .innerJoin('messages as m', (join) =>
      join.onRef('m.chat_id', '=', 'f.chat_id').onRef('m.id', '=', 'f.message_id'),
    )
    .innerJoin('connectors as c', 'c.id', 'm.connector_id')
    .select('m.id')
    .where('f.chat_id', '=', chatId)
    .where('c.pictures', '=', 0)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Returns the places of all messages of a chat in its tree, oldest first. */
export function listNodes(db: Db, chatId: string): Promise<TreeNode[]> {
  return db
    .selectFrom('messages')
    .select(['id', 'parent_id', 'unix_timestamp', 'selected_at'])
    .where('chat_id', '=', chatId)
    .orderBy('unix_timestamp')
    .execute()
}

/** A message of a path sent to a model. */
export type PathMessage = Pick<
  MessageRow,
  | 'id'
  | 'parent_id'
  | 'role'
  | 'status'
  | 'server'
  | 'arguments'
  | 'call_state'
  | 'call'
  | 'left_out_tools'
  // Only of replies that call a tool: some models want it back with the call.
  | 'reasoning'
> & { readonly content: MessageContent }

interface PathPlace {
  readonly chatId: string
  readonly leafId: string
  readonly limit: number
}

type PathRow = Omit<PathMessage, 'content'> & ContentColumns

/** A place on a path, with its message when this is near the end of the path; else all other columns are null. */
type MaybePathRow = SizedMessage & (PathRow | { readonly [Name in Exclude<keyof PathRow, 'id'>]: null })

const pathColumns = sql.raw(
  `m.parent_id, m.role, m.content, m.files, m.status, m.server, m.arguments, m.call_state, m.call,
    m.left_out_tools, case when m.call is not null then m.reasoning end as reasoning`,
)

/**
 * Prepares the query of a path, oldest first, which reads as many messages as a page has, from its end. It is the only
 * statement for most paths, because every reply waits for it. `toCondition` returns a further SQL condition, `and …`, for
 * the next message `m`.
 */
const preparePathQuery = (toCondition: (path: PathPlace) => RawBuilder<unknown>) =>
  prepareQuery((db, path: PathPlace) =>
    sql<MaybePathRow>`
    with recursive path (id, parent_id, bytes, size, depth) as (
      select id, parent_id, ${bytesOf('messages', pathTexts)}, ${bytesOf('messages', pathTexts)}, 1
      from messages where chat_id = ${path.chatId} and id = ${path.leafId}
      union all
      select m.id, m.parent_id, ${bytesOf('m', pathTexts)}, path.size + ${bytesOf('m', pathTexts)}, path.depth + 1
      from path join messages m on m.chat_id = ${path.chatId} and m.id = path.parent_id
      where path.depth < ${path.limit} ${toCondition(path)}
    )
    select p.id, p.bytes, ${pathColumns}
    from path p left join messages m on m.chat_id = ${path.chatId} and m.id = p.id
      and p.size <= ${sql.lit(maxPageBytes)} and p.depth <= ${sql.lit(maxPageMessages)}
    order by p.depth desc`.compile(db),
  )

const pathTexts = ['content', 'arguments', 'call', 'reasoning'] as const
const pathQuery = preparePathQuery(() => sql``)
const pathAfterSummaryQuery = preparePathQuery(
  ({ chatId }) => sql`and m.id not in (select message_id from compactions where chat_id = ${chatId})`,
)

/** What is read here of a `StoredCall`. */
interface PathCall {
  readonly continues?: true
  readonly imported?: true
}

/**
 * Converts the rows of a path to its messages. Calls that were imported are left out, with their reasoning and results:
 * they were made by another model, with tools that are unknown here. Each other call is stored with those that come after it in its batch, which
 * together can have a hundred times their size. Only the last one keeps them here: the others are on the path.
 */
class PathReader {
  readonly path: PathMessage[] = []
  #lastCall: { readonly index: number; readonly call: PathCall } | undefined
  /** Whether the last message is a call that was imported. */
  #isImported = false

  add(row: PathRow): void {
    if (row.call !== null) {
      const call = JSON.parse(row.call) as PathCall
      this.#isImported = call.imported === true
      if (this.#isImported) {
        this.path.push({ ...withContent(row), call: null, arguments: null, reasoning: null })
        return
      }
      const last = this.#lastCall
      const before = last && this.path[last.index]
      if (call.continues === true && last !== undefined && before !== undefined)
        this.path[last.index] = { ...before, call: JSON.stringify({ ...last.call, rest: [] }) }
      this.#lastCall = { index: this.path.length, call }
    } else if (this.#isImported) {
      this.#isImported = false
      // It stays in its place, because a prompt must end with the user when it was the last message.
      if (isToolResult(row)) {
        this.path.push({ ...row, content: '' })
        return
      }
    }
    this.path.push(withContent(row))
  }
}

const withContent = (row: PathRow): PathMessage =>
  row.files === null ? row : { ...row, content: contentOf(row) }

/** Reads the messages of a path that the query has not read, in pages, each in a turn of the event loop of its own. */
async function readPath(db: Db, chatId: string, rows: readonly MaybePathRow[]): Promise<PathMessage[]> {
  const reader = new PathReader()
  for (const page of pagesOf(rows)) {
    if (reader.path.length > 0) await nextTurn()
    const found = new Map<string, PathRow>()
    const missing: string[] = []
    for (const row of page) {
      if (row.role === null) missing.push(row.id)
      else found.set(row.id, row)
    }
    if (missing.length > 0) {
      const read = await sql<PathRow>`
        select m.id, ${pathColumns} from messages m
        where m.chat_id = ${chatId} and m.id in (${sql.join(missing)})`.execute(db)
      for (const row of read.rows) found.set(row.id, row)
    }
    for (const { id } of page) {
      const row = found.get(id)
      if (row !== undefined) reader.add(row)
    }
  }
  return reader.path
}

/** Returns the newest `limit` messages on the path from the root to a message, oldest first. */
export async function listPath(
  db: Db,
  chatId: string,
  leafId: string,
  limit = maxPathMessages,
): Promise<PathMessage[]> {
  return readPath(db, chatId, (await pathQuery(db, { chatId, leafId, limit })).rows)
}

/**
 * Returns the newest `limit` messages on the path to a message that come after the messages which a summary replaces,
 * oldest first. The message itself is always returned.
 */
export async function listPathAfterSummary(
  db: Db,
  chatId: string,
  leafId: string,
  limit: number,
): Promise<PathMessage[]> {
  return readPath(db, chatId, (await pathAfterSummaryQuery(db, { chatId, leafId, limit })).rows)
}

/** Returns the places of the whole path from the root to a message, oldest first; empty when the message is missing. */
export async function listWholePath(db: Db, chatId: string, leafId: string): Promise<MessagePlace[]> {
  const places: MessagePlace[] = []
  for (let next: string | null = leafId; next !== null;) {
    if (places.length > 0) await nextTurn()
    const path = sql<{ id: string; depth: number }>`(
      with recursive path (id, parent_id, depth) as (
        select id, parent_id, 1 from messages where chat_id = ${chatId} and id = ${next}
        union all
        select m.id, m.parent_id, path.depth + 1
        from path join messages m on m.chat_id = ${chatId} and m.id = path.parent_id
        where path.depth < ${maxPlaces}
      )
      select id, depth from path)`
    const page: MessagePlace[] = await selectPlaces(db)
      .innerJoin(path.as('path'), 'path.id', 'm.id')
      .where('m.chat_id', '=', chatId)
      .orderBy('path.depth')
      .execute()
    places.push(...page)
    next = page.at(-1)?.parent_id ?? null
  }
  return places.reverse()
}

const replyUpdate = prepareQuery(
  (db, { chatId, id, ...reply }: FilledReply & { readonly chatId: string; readonly id: string }) =>
    db.updateTable('messages').set(reply).where('chat_id', '=', chatId).where('id', '=', id).compile(),
)

/** Stores a reply that has ended. */
export async function fillReply(db: Db, chatId: string, reply: Message): Promise<void> {
  await replyUpdate(db, { ...toFilledReply(reply), chatId, id: reply.id })
}

export async function updateMessage(
  db: Db,
  chatId: string,
  id: string,
  change: MessageChange,
): Promise<void> {
  await db.updateTable('messages').set(change).where('chat_id', '=', chatId).where('id', '=', id).execute()
}

const messageDelete = prepareQuery((db, { position }: { readonly position: number }) =>
  db.deleteFrom('messages').where('position', '=', position).compile(),
)

/** Deletes a message, with its files, its links and what else belongs to it. */
export async function deleteMessage(trx: Db, position: number): Promise<void> {
  await messageDelete(trx, { position })
}

/** Deletes up to `limit` messages of a chat, with what belongs to them. Returns false when there were none. */
export async function deleteMessages(trx: Db, chatId: string, limit: number): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('messages')
    .where('position', 'in', (some) =>
      some.selectFrom('messages').select('position').where('chat_id', '=', chatId).limit(limit),
    )
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
