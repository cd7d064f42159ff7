import type { Message } from '@yonder/contract/message'
import type { ImportSource } from '@yonder/contract/transfer'
import type { Database, Db } from '../../db/database.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import type { FileReader } from '../../files/reading/open-file-reader.ts'
import type { FileDeps } from '../../files/store-file.ts'
import { FileSources } from '../../imports/formats/file-sources.ts'
import type { ImportedChat } from '../../imports/imported-chat.ts'
import { toStorableChat } from '../../imports/storable-chat.ts'
import { type ImportFrame, Pacer, storeChat, type StoredChat } from '../../imports/store-chat.ts'

export const importTime = Date.parse('2026-11-20T10:00:00.000Z')

/** A message of an export. A test passes only the fields that matter to it. */
export function importedMessage(
  id: string,
  parent_id: string | null,
  fields: Partial<Message> = {},
): Message {
  return {
    id,
    parent_id,
    role: 'user',
    content: `Text of ${id}`,
    timestamp: '',
    unix_timestamp: 0,
    status: 'complete',
    ...fields,
  }
}

/** A chat of an export; with a question and an answer, unless it has other messages. */
export function importedChat(fields: Partial<ImportedChat> = {}): ImportedChat {
  const messages = fields.messages ?? [
    importedMessage('u1', null, { unix_timestamp: importTime - 9_000 }),
    importedMessage('a1', 'u1', { role: 'assistant', model: 'gpt-4', unix_timestamp: importTime - 8_000 }),
  ]
  return {
    sourceId: 'c1',
    title: 'Boats',
    titleSource: 'user',
    createdAt: importTime - 9_000,
    updatedAt: importTime - 8_000,
    isArchived: false,
    isPinned: false,
    project: null,
    selectedMessageId: messages.at(-1)?.id ?? null,
    messages,
    compactions: [],
    files: [],
    ...fields,
  }
}

/** Reads no text of a document, and finds no fault with a picture. */
export const noReader: FileReader = {
  readText: () => Promise.resolve({ problem: 'It is not read here.' }),
  checkPicture: () => Promise.resolve(undefined),
  close: () => Promise.resolve(),
}

/** What an import of Ada has. */
export function importFrame(
  database: Database,
  fields: Partial<ImportFrame> & { readonly limits?: FileDeps['limits'] } = {},
): ImportFrame {
  const { limits = { maxFile: 1_000_000, quota: 10_000_000 }, ...others } = fields
  return {
    deps: { database, reader: noReader, limits, now: () => importTime },
    actor: { id: 'ada' },
    botId: null,
    openProject: () => Promise.resolve(null),
    sources: new FileSources([]),
    pacer: new Pacer(database.dialect),
    signal: new AbortController().signal,
    ...others,
  }
}

/** Checks and stores a chat. */
export async function storeImported(
  frame: ImportFrame,
  chat: ImportedChat,
  source: ImportSource = 'chatgpt',
): Promise<StoredChat> {
  const storable = await toStorableChat(chat, source, importTime)
  if ('problem' in storable) throw new Error(storable.problem)
  return storeChat(frame, storable)
}

/** Returns all messages of a chat, oldest first. */
export function listMessages(db: Db, chatId: string): Promise<MessageRow[]> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('chat_id', '=', chatId)
    .orderBy('unix_timestamp')
    .execute()
}
