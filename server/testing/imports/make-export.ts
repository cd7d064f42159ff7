import { makeZip } from '../files/make-zip.ts'

/** A message of our own export. A test passes only the fields that matter to it. */
export interface ExportedMessage {
  readonly id: string
  readonly parent_id: string | null
  readonly role: 'user' | 'assistant'
  readonly content: unknown
  readonly [field: string]: unknown
}

const firstTime = Date.parse('2025-03-01T12:00:00.000Z')

/** A chat of our own export, with a question and an answer unless it has other messages. `number` makes its id and times. */
export function exportedChat(number: number, fields: Readonly<Record<string, unknown>> = {}) {
  const time = firstTime + number * 60_000
  const messages = [
    exportedMessage('u1', null, { content: `Question ${number}`, unix_timestamp: time }),
    exportedMessage('a1', 'u1', { role: 'assistant', content: `Answer ${number}`, unix_timestamp: time + 1 }),
  ]
  return {
    id: `chat-${number}`,
    title: `Question ${number}`,
    created_time: new Date(time).toISOString(),
    update_time: new Date(time + 1).toISOString(),
    selected_message_id: 'a1',
    messages,
    files: [],
    ...fields,
  }
}

export function exportedMessage(
  id: string,
  parent_id: string | null,
  fields: Readonly<Record<string, unknown>> = {},
): ExportedMessage {
  return {
    id,
    parent_id,
    role: 'user',
    content: id,
    status: 'complete',
    timestamp: '',
    unix_timestamp: 0,
    ...fields,
  }
}

/** The ZIP of our own export with these chats and the bytes of files by their paths. */
export function makeExport(
  chats: readonly ReturnType<typeof exportedChat>[],
  files: Readonly<Record<string, Buffer>> = {},
): Buffer {
  return makeZip([
    ...chats.map((chat) => ({ name: `chats/${chat.id}.json`, data: JSON.stringify(chat) })),
    ...Object.entries(files).map(([name, data]) => ({ name, data })),
  ])
}
