import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { foldText } from '@yonder/contract/lib/fold-text'
import type { Db } from '../../server/db/database.ts'
import { openSqlite } from '../../server/db/dialects/sqlite.ts'
import { sqliteFileName } from '../../server/db/open-database.ts'
import type { ChatRow } from '../../server/db/tables/tables.ts'
import { addCompaction } from '../../server/testing/factories/chats.ts'

/** Messages in one insert statement. SQLite limits the parameters of a statement. */
const messagesPerInsert = 500

const question = (round: number) => `Question ${round}: how does the sea move on the other side of the moon?`
const answer = (round: number) =>
  `Answer ${round}. **Tides** follow the moon, and the sun a little.\n\n- The first reason is near.\n- The second is far.\n\nSo it goes on for a sentence or two, as replies do, until it ends.`

/** Writes a chat of `count` messages directly into the database of a product, and returns its id. */
export async function writeLongChat(
  dataDir: string,
  email: string,
  count: number,
  textOf = (index: number) => (index % 2 === 1 ? question : answer)(Math.ceil(index / 2)),
): Promise<string> {
  const { db, close } = openSqlite(join(dataDir, sqliteFileName))
  const id = `long_${randomUUID().slice(0, 8)}`
  const start = Date.now() - count * 1000
  const idOf = (index: number) => `${id}_m${index}`
  const rowOf = (index: number) => {
    const isQuestion = index % 2 === 1
    return {
      chat_id: id,
      id: idOf(index),
      parent_id: index === 1 ? null : idOf(index - 1),
      content: textOf(index),
      status: 'complete',
      ...(isQuestion ? { role: 'user' } : { role: 'assistant', model: 'claude-owl', provider: 'Wood' }),
      first_id: idOf(1),
      second_id: index === 1 ? null : idOf(2),
      unix_timestamp: start + index * 1000,
    }
  }
  try {
    const title = textOf(1).slice(0, 30)
    const chat = { id, user_id: await findUser(db, email), selected_message_id: idOf(count), title }
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('chats')
        .values({ ...chat, created_at: start, updated_at: Date.now() })
        .execute()
      for (let first = 1; first <= count; first += messagesPerInsert) {
        const length = Math.min(messagesPerInsert, count - first + 1)
        const rows = Array.from({ length }, (_, offset) => rowOf(first + offset))
        await trx.insertInto('messages').values(rows).execute()
      }
    })
    return id
  } finally {
    await close()
  }
}

/** Writes chats without messages directly into the database of a product. */
export async function writeChats(
  dataDir: string,
  email: string,
  chats: readonly (Pick<ChatRow, 'id' | 'title' | 'updated_at'> & Partial<ChatRow>)[],
): Promise<void> {
  const { db, close } = openSqlite(join(dataDir, sqliteFileName))
  try {
    const user_id = await findUser(db, email)
    await db.transaction().execute(async (trx) => {
      for (let first = 0; first < chats.length; first += messagesPerInsert) {
        const rows = chats.slice(first, first + messagesPerInsert).map((chat) => ({
          user_id,
          created_at: chat.updated_at,
          title_key: foldText(chat.title ?? ''),
          pinned: 0,
          archived: 0,
          unread: 0,
          project_id: null,
          ...chat,
        }))
        await trx.insertInto('chats').values(rows).execute()
      }
    })
  } finally {
    await close()
  }
}

async function findUser(db: Db, email: string): Promise<string> {
  const user = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()
  return user.id
}

/** Writes a summary of all messages of a chat directly into the database of a product. */
export async function writeSummary(dataDir: string, chatId: string, content: string): Promise<void> {
  const { db, close } = openSqlite(join(dataDir, sqliteFileName))
  try {
    const last = await db
      .selectFrom('messages')
      .select('id')
      .where('chat_id', '=', chatId)
      .orderBy('unix_timestamp', 'desc')
      .executeTakeFirstOrThrow()
    await addCompaction(db, { chat_id: chatId, message_id: last.id, content })
  } finally {
    await close()
  }
}

/** Writes `count` calls of a connector's tool directly into the database of a product, oldest first. */
export async function writeToolCalls(
  dataDir: string,
  email: string,
  connectorName: string,
  count: number,
): Promise<void> {
  const { db, close } = openSqlite(join(dataDir, sqliteFileName))
  try {
    const connector = await db
      .selectFrom('connectors')
      .innerJoin('users', 'users.id', 'connectors.user_id')
      .select(['connectors.id', 'users.id as user_id'])
      .where('users.email', '=', email)
      .where('connectors.name', '=', connectorName)
      .executeTakeFirstOrThrow()
    const rowOf = (index: number) => ({
      id: `${connector.id}_call${index}`,
      user_id: connector.user_id,
      connector_id: connector.id,
      connector: connectorName,
      tool: `tool${index}`,
      arguments_hash: 'hash',
      approval: index % 2 === 0 ? 'once' : 'denied',
      outcome: index % 2 === 0 ? 'done' : 'denied',
      started_at: Date.UTC(2026, 0, 2, 3, 4, index),
      duration: index % 2 === 0 ? 1_500 : null,
      bytes: index % 2 === 0 ? 2_048 : null,
      edited: 0,
    })
    const rows = Array.from({ length: count }, (_, index) => rowOf(index + 1))
    await db.insertInto('tool_calls').values(rows).execute()
  } finally {
    await close()
  }
}
