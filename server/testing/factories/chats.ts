import { insertChat, selectLeaf, restoreDefaultTitle } from '../../chats/chat-store.ts'
import { saveCompaction } from '../../chats/compaction-store.ts'
import {
  appendMessage,
  updateMessage,
  type MessageChange,
  type NewMessage,
} from '../../chats/message-store.ts'
import type { Db } from '../../db/database.ts'
import type { ChatRow, CompactionRow, MessageRow } from '../../db/tables/tables.ts'
import { newId } from '../../lib/new-id.ts'

/** The row of an empty chat. A test passes only the fields that matter to it. */
export function chatRow(fields: Partial<ChatRow> = {}): ChatRow {
  return {
    id: 'chat',
    user_id: 'ada',
    selected_message_id: null,
    created_at: 1,
    updated_at: 1,
    chars: 0,
    title: null,
    title_key: null,
    title_source: null,
    pinned: 0,
    archived: 0,
    unread: 0,
    project_id: null,
    deleted_at: null,
    source: null,
    source_id: null,
    bot_id: null,
    ...fields,
  }
}

/** Stores an empty chat. */
export async function addChat(db: Db, fields: Partial<ChatRow> = {}): Promise<ChatRow> {
  const row = chatRow(fields)
  await insertChat(db, row)
  return row
}

/** Stores a summary of older messages. A test passes only the fields that matter to it. */
export async function addCompaction(db: Db, fields: Partial<CompactionRow>): Promise<CompactionRow> {
  const row: CompactionRow = {
    id: newId(),
    chat_id: 'chat',
    message_id: 'message',
    message_count: 2,
    content: 'A summary.',
    bot_id: 'bot',
    bot: 'Helper',
    model: 'm',
    edited: 0,
    written_at: 1,
    held_until: null,
    ...fields,
  }
  await saveCompaction(db, row)
  return row
}

/** A complete user message to append. */
export function newMessage(fields: Partial<NewMessage> = {}): NewMessage {
  return { chat_id: 'chat', id: newId(), role: 'user', content: '', status: 'complete', ...fields }
}

/** A message that `addPath` stores, with any field that a run would write. */
export type NewPathMessage = Partial<Omit<NewMessage, 'chat_id'>> & MessageChange

/** Stores messages below each other, from the root of a chat, and selects the last one. */
export async function addPath(
  db: Db,
  chat: Pick<ChatRow, 'id' | 'updated_at'>,
  messages: readonly NewPathMessage[],
): Promise<MessageRow[]> {
  const path: MessageRow[] = []
  for (const message of messages) {
    const row = await appendMessage(
      db,
      newMessage({ ...message, chat_id: chat.id }),
      path.at(-1) ?? null,
      chat.updated_at,
    )
    const { id: _, role: __, bot: ___, outcome: ____, ...change } = message
    if (Object.keys(change).length > 0) await updateMessage(db, chat.id, row.id, change)
    path.push({ ...row, ...change })
  }
  const leaf = path.at(-1)
  if (leaf !== undefined) await selectLeaf(db, chat.id, leaf.id)
  await restoreDefaultTitle(db, chat.id)
  return path
}
