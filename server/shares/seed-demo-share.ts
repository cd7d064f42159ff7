import { createHash } from 'node:crypto'
import { ownedBy } from '../access/access.ts'
import { insertChat, selectLeaf, restoreDefaultTitle } from '../chats/chat-store.ts'
import { appendMessage, findMessage, updateMessage } from '../chats/message-store.ts'
import { builtInDemoShareId } from '../config/config.ts'
import type { Database, Db } from '../db/database.ts'
import type { MessageRow } from '../db/tables/tables.ts'
import { findUserRow, insertUser } from '../identity/users/user-store.ts'
import { newId } from '../lib/new-id.ts'
import { demoChat, type DemoMessage } from './demo-chat.ts'
import { findShare, upsertShare } from './share-store.ts'

/** No identity provider issues tokens with this issuer, so this user cannot sign in. */
const owner = { issuer: 'yonder:demo', subject: 'demo', name: null, email: null, picture: null }
/** The stored state of the tool calls in the demo. No model made them, so id and name are empty. */
const answeredCall = { call_state: 'answered', call: JSON.stringify({ id: '', name: '', rest: [] }) } as const
/** Milliseconds between two messages. */
const messageIntervalMs = 20_000

/** Derived from the texts, because messages never change: a new text needs a new chat. */
const chatId = `demo-${createHash('sha256').update(JSON.stringify(demoChat)).digest('hex').slice(0, 16)}`

/**
 * Creates the demo chat and its fixed link. Does nothing when they exist. Nodes that start at the same time wait for
 * each other; if their versions differ, the link leads to the chat of the one that started last.
 */
export async function seedDemoShare({ db, dialect }: Database, now: number): Promise<void> {
  if ((await findShare(db, builtInDemoShareId))?.chat_id === chatId) return
  await db.transaction().execute(async (trx) => {
    // Any lock that all nodes share would do.
    await dialect.lockMigrations(trx)
    const userId = await findOrCreateOwner(trx, now)
    const messageId = String(demoChat.length)
    if ((await findMessage(trx, chatId, messageId)) === undefined) await writeChat(trx, userId, now)
    await upsertShare(trx, {
      id: builtInDemoShareId,
      ...ownedBy({ id: userId }),
      chat_id: chatId,
      message_id: messageId,
      created_at: now,
      files: 0,
    })
  })
}

/** Returns the id of the user to whom the demo chat belongs. */
async function findOrCreateOwner(trx: Db, now: number): Promise<string> {
  const id = newId()
  if (await insertUser(trx, { id, ...owner }, now)) return id
  return (await findUserRow(trx, owner.issuer, owner.subject))?.id ?? id
}

async function writeChat(trx: Db, userId: string, now: number): Promise<void> {
  const start = now - demoChat.length * messageIntervalMs
  await insertChat(trx, {
    id: chatId,
    ...ownedBy({ id: userId }),
    selected_message_id: null,
    created_at: start,
    updated_at: now,
  })
  let leaf: MessageRow | null = null
  for (const [index, message] of demoChat.entries()) {
    leaf = await writeMessage(trx, message, String(index + 1), leaf, start + index * messageIntervalMs)
  }
  if (leaf !== null) await selectLeaf(trx, chatId, leaf.id)
  await restoreDefaultTitle(trx, chatId)
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
  if (call !== undefined) await updateMessage(trx, chatId, id, { ...call, ...answeredCall })
  return row
}
