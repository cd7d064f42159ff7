import { foldText } from '@yonder/contract/lib/fold-text'
import { historyTitleOf, maxTitleSourceChars } from '@yonder/contract/message-text'
import { sql } from 'kysely'
import { type Actor, changeable, deletedOf, readable } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import { prepareQuery } from '../db/dialects/prepare-query.ts'
import type { ChatRow, NewChatRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'

/**
 * Characters of all messages of a chat together. A chat is read and sent as a whole, so a larger one could use up the
 * memory of the process.
 */
export const maxChatChars = 20_000_000

/** Returns false if there is a chat with this id already. */
export async function insertChat(db: Db, chat: NewChatRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('chats')
    .values(chat)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

const chatQuery = prepareQuery((db, chat: { readonly id: string; readonly actor: Actor }) =>
  db.selectFrom('chats').selectAll().where('id', '=', chat.id).where(readable(chat.actor, 'chats')).compile(),
)

/**
 * Returns a chat of this user. The chat of another user is not found.
 * @throws AppError `not_found`
 */
export async function requireChat(db: Db, actor: Actor, chatId: string): Promise<ChatRow> {
  const { rows } = await chatQuery(db, { id: chatId, actor })
  const [chat] = rows
  if (chat === undefined) throw unknownChat()
  return chat
}

/**
 * Like `requireChat`, and tells a chat that its user can restore from one that does not exist.
 * @throws AppError `not_found`, `chat_deleted`
 */
export async function requireChatToRead(db: Db, actor: Actor, chatId: string): Promise<ChatRow> {
  try {
    return await requireChat(db, actor, chatId)
  } catch (error) {
    const isDeleted = db
      .selectFrom('chats')
      .select('id')
      .where('id', '=', chatId)
      .where(deletedOf(actor, 'chats'))
      .executeTakeFirst()
    if ((await isDeleted) === undefined) throw error
    throw new AppError('chat_deleted', 'This chat was deleted. Restore it under Recently deleted.')
  }
}

const queuedQuery = prepareQuery((db, chat: { readonly id: string }) =>
  db.selectFrom('queued_messages').select('id').where('chat_id', '=', chat.id).limit(1).compile(),
)

/** Whether messages wait in a chat. */
export async function hasQueued(db: Db, chatId: string): Promise<boolean> {
  return (await queuedQuery(db, { id: chatId })).rows.length > 0
}

const chatLock = prepareQuery(
  (
    db,
    chat: {
      readonly id: string
      readonly actor: Actor
      readonly now: number
      readonly addedChars: number
    },
  ) =>
    db
      .updateTable('chats')
      .set({ updated_at: chat.now, chars: sql`chars + ${chat.addedChars}`, archived: 0, unread: 0 })
      .where('id', '=', chat.id)
      .where(changeable(chat.actor, 'chats'))
      .returningAll()
      .returning((eb) =>
        eb
          .selectFrom('projects')
          .select('instructions')
          .whereRef('projects.id', '=', 'chats.project_id')
          .as('project_instructions'),
      )
      .returning((eb) =>
        eb
          .exists(
            eb
              .selectFrom('queued_messages')
              .select('queued_messages.id')
              .whereRef('queued_messages.chat_id', '=', 'chats.id'),
          )
          .as('has_queue'),
      )
      .compile(),
)

/** A chat with the instructions of its project; null in no project. */
export interface LockedChat extends ChatRow {
  readonly project_instructions: string | null
  /** Whether messages wait in it. */
  readonly has_queue: boolean
}

/**
 * Sets the update time of a user's chat, which a message or another reply brings back from the archive, and returns the
 * chat. Blocks other transactions that lock or change the chat
 * until this one ends. `addedChars` is the length of the message that the transaction appends.
 * @throws AppError `not_found`
 */
export async function lockChat(
  trx: Db,
  actor: Actor,
  chatId: string,
  now: number,
  addedChars = 0,
): Promise<LockedChat> {
  const { rows } = await chatLock(trx, { id: chatId, actor, now, addedChars })
  const [chat] = rows
  if (chat === undefined) throw unknownChat()
  return { ...chat, has_queue: Boolean(chat.has_queue) }
}

/**
 * Blocks other transactions that lock or change a user's chat until this one ends. Changes nothing.
 * @throws AppError `not_found`
 */
export async function lockChatOnly(trx: Db, actor: Actor, chatId: string): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('chats')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('id', '=', chatId)
    .where(changeable(actor, 'chats'))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw unknownChat()
}

/** Whether the text of a chat leaves no room for another message or reply. */
export function isFull({ chars }: Pick<ChatRow, 'chars'>): boolean {
  return chars > maxChatChars
}

export const fullChatMessage = `This chat has reached the limit of ${maxChatChars.toLocaleString('en')} characters. Start a new chat.`

/** @throws AppError `conflict` when the chat is full */
export function refuseFullChat(chat: Pick<ChatRow, 'chars'>): void {
  if (isFull(chat)) throw new AppError('conflict', fullChatMessage)
}

const leafUpdate = prepareQuery((db, chat: { readonly id: string; readonly messageId: string }) =>
  db.updateTable('chats').set({ selected_message_id: chat.messageId }).where('id', '=', chat.id).compile(),
)

/**
 * Selects a message of a chat. The query names no owner, so the caller must know that the chat belongs to the user for
 * whom it acts.
 */
export async function selectLeaf(db: Db, chatId: string, messageId: string): Promise<void> {
  await leafUpdate(db, { id: chatId, messageId })
}

const titleUpdate = prepareQuery(
  (db, chat: { readonly id: string; readonly title: string; readonly title_key: string }) =>
    db
      .updateTable('chats')
      .set({ title: chat.title, title_key: chat.title_key })
      .where('id', '=', chat.id)
      .where('title_source', 'is', null)
      .compile(),
)

/**
 * Makes the beginning of `text`, the first message of the selected path, the title of a chat, unless the user or a model
 * wrote its title. The caller must know that the chat belongs to the user for whom it acts.
 */
export async function storeDefaultTitle(trx: Db, chatId: string, text: string): Promise<void> {
  const title = historyTitleOf(text)
  await titleUpdate(trx, { id: chatId, title, title_key: foldText(title) })
}

/** Stores the default title of a chat again: another branch is selected, or the user's own title is removed. */
export async function restoreDefaultTitle(trx: Db, chatId: string): Promise<void> {
  const first = await trx
    .selectFrom('chats as c')
    .innerJoin('messages as leaf', (join) =>
      join.onRef('leaf.chat_id', '=', 'c.id').onRef('leaf.id', '=', 'c.selected_message_id'),
    )
    .innerJoin('messages as m', (join) =>
      join.onRef('m.chat_id', '=', 'c.id').onRef('m.id', '=', 'leaf.first_id'),
    )
    .select((eb) => eb.fn<string>('substr', ['m.content', eb.val(1), eb.lit(maxTitleSourceChars)]).as('text'))
    .where('c.id', '=', chatId)
    .executeTakeFirst()
  if (first !== undefined) await storeDefaultTitle(trx, chatId, first.text)
}

const timeUpdate = prepareQuery(
  (
    db,
    chat: {
      readonly id: string
      readonly now: number
      readonly addedChars: number
      readonly unread: number
    },
  ) =>
    db
      .updateTable('chats')
      .set({
        updated_at: chat.now,
        chars: sql`chars + ${chat.addedChars}`,
        unread: sql`case when ${chat.unread} = 1 then 1 else unread end`,
      })
      .where('id', '=', chat.id)
      .compile(),
)

/**
 * Sets the update time of a chat, and counts the characters of the message that the transaction stores. With `unread` the
 * chat becomes unread. The query names no owner: the caller writes a run of the chat, which only its user can start.
 */
export async function touchChat(
  db: Db,
  chatId: string,
  now: number,
  addedChars: number,
  { unread = false } = {},
): Promise<void> {
  await timeUpdate(db, { id: chatId, now, addedChars, unread: Number(unread) })
}

/** Returns today's name of the bot with which a chat goes on; undefined when it was deleted. */
export async function findBotOfChat(db: Db, actor: Actor, id: string): Promise<string | undefined> {
  const bot = await db
    .selectFrom('bots')
    .select('name')
    .where('id', '=', id)
    .where(readable(actor, 'bots'))
    .executeTakeFirst()
  return bot?.name
}

/** Returns the ids of a page of a user's chats, the last changed first. */
export async function listChatIds(
  db: Db,
  actor: Actor,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('chats')
    .select('id')
    .where(readable(actor, 'chats'))
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map((row) => row.id)
}

/** Returns the number of a user's chats, at most `max`. */
export async function countChats(db: Db, actor: Actor, max: number): Promise<number> {
  const { count } = await db
    .selectFrom((eb) =>
      eb.selectFrom('chats').select('id').where(readable(actor, 'chats')).limit(max).as('counted'),
    )
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Which unused chats are deleted. Times are milliseconds since 1970. */
export interface UnusedChatLimits {
  /** Chats that were reserved before this time are deleted. */
  readonly expiredBefore: number
  /** Of the chats that a user reserved before this time, only the newest `max` are kept. */
  readonly surplusBefore: number
  readonly max: number
}

/**
 * Deletes chats that were reserved and never used. One that was just reserved stays, because its first message may
 * follow.
 */
export async function deleteUnusedChats(
  db: Db,
  { expiredBefore, surplusBefore, max }: UnusedChatLimits,
): Promise<void> {
  const unused = db
    .selectFrom('chats')
    .select([
      'id',
      'created_at',
      sql<number>`row_number() over (partition by user_id order by created_at desc, id desc)`.as('place'),
    ])
    .where('selected_message_id', 'is', null)
    .where('created_at', '<', surplusBefore)
    .as('unused')
  const deleted = db
    .selectFrom(unused)
    .select('id')
    .where((is) => is.or([is('created_at', '<', expiredBefore), is('place', '>', max)]))
  await db
    .deleteFrom('chats')
    // Checked again, because a first message may have arrived meanwhile.
    .where('selected_message_id', 'is', null)
    .where('id', 'in', deleted)
    // One that could not be sent waits for its user.
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('queued_messages as q').select('q.id').whereRef('q.chat_id', '=', 'chats.id'))),
    )
    .execute()
}

function unknownChat(): AppError {
  return new AppError('not_found', 'There is no such chat. Start a new one.')
}
