import { createHash } from 'node:crypto'
import { insertChat, moveLeaf } from '../chats/chat-store.ts'
import { appendMessage, findMessage, updateMessage } from '../chats/message-store.ts'
import { builtInDemoShareId } from '../config/config.ts'
import type { Database, Db } from '../db/database.ts'
import { newId } from '../lib/new-id.ts'
import type { MessageRow } from '../db/tables/tables.ts'
import { findUser, insertUser } from '../identity/users/user-store.ts'
import { demoChat } from './demo-chat.ts'
import type { DemoMessage } from './demo-chat.ts'
import { findShare, placeShare } from './share-store.ts'

/** No provider can name it in a token, so nobody can be this person. */
const owner = { issuer: 'yonder:demo', subject: 'demo', name: null, email: null, picture: null }
/** How its calls stand; there is no model behind them. */
const answered = { call_state: 'answered', call: JSON.stringify({ id: '', name: '', rest: [] }) } as const
/** Milliseconds between two messages. */
const pause = 20_000

/** Follows the texts: another text is another chat, since messages never change. */
const chatId = `demo-${createHash('sha256').update(JSON.stringify(demoChat)).digest('hex').slice(0, 16)}`

/**
 * Puts the demo chat behind its fixed link. Does nothing when it is there; nodes that start at once wait for each other,
 * and of different versions the one that started last decides.
 */
export async function seedDemoShare({ db, dialect }: Database, now: number): Promise<void> {
  if ((await findShare(db, builtInDemoShareId))?.chat_id === chatId) return
  await db.transaction().execute(async (trx) => {
    await dialect.lockMigrations(trx)
    const userId = await requireOwner(trx, now)
    const messageId = String(demoChat.length)
    if ((await findMessage(trx, chatId, messageId)) === undefined) await writeChat(trx, userId, now)
    await placeShare(trx, {
      id: builtInDemoShareId,
      user_id: userId,
      chat_id: chatId,
      message_id: messageId,
      created_at: now,
    })
  })
}

async function requireOwner(trx: Db, now: number): Promise<string> {
  const id = newId()
  if (await insertUser(trx, { id, ...owner }, now)) return id
  return (await findUser(trx, owner.issuer, owner.subject))?.id ?? id
}

async function writeChat(trx: Db, userId: string, now: number): Promise<void> {
  const start = now - demoChat.length * pause
  await insertChat(trx, {
    id: chatId,
    user_id: userId,
    selected_message_id: null,
    created_at: start,
    updated_at: now,
  })
  let leaf: MessageRow | null = null
  for (const [index, message] of demoChat.entries()) {
    leaf = await writeMessage(trx, message, String(index + 1), leaf, start + index * pause)
  }
  if (leaf !== null) await moveLeaf(trx, chatId, leaf.id)
}

async function writeMessage(
  trx: Db,
  { role, content, call, resultOf }: DemoMessage,
  id: string,
  parent: MessageRow | null,
  time: number,
): Promise<MessageRow> {
  const row = await appendMessage(
    trx,
    {
      chat_id: chatId,
      id,
      role,
      content,
      status: 'complete',
      ...(role === 'assistant' ? { model: 'demo' } : {}),
      ...(resultOf === undefined ? {} : { server: resultOf }),
    },
    parent,
    time,
  )
  if (call !== undefined) await updateMessage(trx, chatId, id, { ...call, ...answered })
  return row
}
