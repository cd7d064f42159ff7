import { Compaction } from '@yonder/contract/compaction'
import { FileRef, Message, type MessageContent } from '@yonder/contract/message'
import { ImportSource } from '@yonder/contract/transfer'
import { z } from 'zod'
import { isObject } from '../../lib/json-object.ts'
import { normalizeText } from '../../lib/text.ts'
import type { FileSource, ImportedChat, ImportedFile } from '../imported-chat.ts'
import { type Format, problemOfCount, type ReadContext } from './format.ts'
import {
  hashOf,
  looseFlag,
  looseId,
  looseList,
  looseMessages,
  looseName,
  looseText,
  looseTime,
} from './loose-values.ts'
import { toForest } from './to-forest.ts'

/*
 * A chat of our own export: as the API presents it (`contract/chat.ts`), with its files. In a ZIP, each is a file in
 * `chats/` and the files have the `path` of their entry; a chat by itself and the export of the command
 * `users export` contain them as `base64`.
 */

const Chat = z.looseObject({
  id: looseId,
  title: looseName,
  title_source: z.enum(['user', 'model']).nullable().catch(null),
  created_time: looseTime,
  update_time: looseTime,
  deleted_time: z.unknown().optional(),
  archived: looseFlag,
  pinned: looseFlag,
  project: looseName,
  project_id: looseId,
  selected_message_id: looseId,
  messages: looseMessages,
  compactions: looseList,
  files: looseList,
  source: z
    .object({ product: ImportSource, id: z.string().min(1) })
    .optional()
    .catch(undefined),
})

const ListedFile = z.looseObject({ id: looseId, name: looseName, path: looseName, base64: looseText })

/** The last moment that a date can be, in milliseconds since 1970. */
const latest = 8_640_000_000_000_000

/** What a message needs. Its other fields are left out if they are of another version. */
const Essentials = z.looseObject({
  id: z.string().min(1),
  parent_id: z.string().nullable().catch(null),
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), z.array(z.unknown())]).catch(''),
  unix_timestamp: z.int().nonnegative().max(latest).catch(0),
  status: Message.shape.status.catch('complete'),
})

const noResult = 'The call was not finished when its chat was exported.'

export const yonder: Format = {
  recognizes: (chat) =>
    'selected_message_id' in chat && Array.isArray(chat['messages']) && typeof chat['id'] === 'string',

  read(value, context) {
    const chat = Chat.parse(value)
    const { title } = chat
    // The user has deleted it.
    if (chat.deleted_time !== undefined && chat.deleted_time !== null) return null
    if (chat.messages === null) {
      return { sourceId: chat.id, title, problem: 'It has no messages that can be read.' }
    }
    const problem = problemOfCount(chat.messages.length)
    if (problem !== undefined) return { sourceId: chat.id, title, problem }
    const read = chat.messages.flatMap((message) => readMessage(message) ?? [])
    const nodes = toForest(read.map((message) => ({ id: message.id, parentId: message.parent_id, message })))
    const messages = withResults(nodes.map(({ parentId, message }) => ({ ...message, parent_id: parentId })))
    if (messages.length === 0) return { sourceId: chat.id, title, problem: 'No messages in it.' }
    const ids = new Set(messages.map(({ id }) => id))
    const selected = chat.selected_message_id ?? ''
    const compactions = chat.compactions.flatMap((item) => readCompaction(item, ids))
    return {
      sourceId: chat.id ?? hashOf(messages.map(({ id }) => id).join()),
      ...(chat.source !== undefined && { origin: chat.source }),
      title,
      titleSource: title === null ? null : chat.title_source,
      createdAt: chat.created_time,
      updatedAt: chat.update_time,
      isArchived: chat.archived,
      isPinned: chat.pinned,
      project: chat.project ?? (chat.project_id === null ? null : context.findProject(chat.project_id)),
      selectedMessageId: ids.has(selected) ? selected : (messages.at(-1)?.id ?? null),
      messages,
      compactions,
      files: listFiles(chat.files, messages, context),
    } satisfies ImportedChat
  },
}

function readMessage(value: unknown): Message | undefined {
  const essentials = Essentials.safeParse(isObject(value) ? value : undefined).data
  if (essentials === undefined) return undefined
  const { id, parent_id, role, status, unix_timestamp } = essentials
  const known = {
    id,
    parent_id,
    role,
    status: status === 'streaming' ? ('interrupted' as const) : status,
    content: readContent(essentials.content),
    unix_timestamp,
    timestamp: new Date(unix_timestamp).toISOString(),
  }
  const whole = Message.safeParse({ ...essentials, ...known }).data ?? {
    ...keepReadable(essentials),
    ...known,
  }
  const { compacting: _compacting, call, ...message } = whole
  if (call === undefined) return message
  // Only a running or waiting call has more, and none of it is so after an import.
  const { state, title, place, decision, edited, denied_by } = call
  return {
    ...message,
    call: {
      state: state === 'denied' ? state : 'answered',
      ...(title !== undefined && { title }),
      ...(place !== undefined && { place }),
      ...(decision !== undefined && { decision }),
      ...(edited !== undefined && { edited }),
      ...(denied_by !== undefined && { denied_by }),
    },
  }
}

/** Of a message with a field that cannot be read, the fields that can. */
function keepReadable(value: Readonly<Record<string, unknown>>): Partial<Message> {
  const kept = Object.entries(Message.shape).flatMap(([name, schema]) => {
    const { data } = schema.safeParse(value[name])
    return data === undefined ? [] : [[name, data] as const]
  })
  return Object.fromEntries(kept)
}

function readContent(content: string | readonly unknown[]): MessageContent {
  if (typeof content === 'string') return normalizeText(content)
  return content.flatMap((part): Exclude<MessageContent, string> => {
    if (!isObject(part)) return []
    if (part['type'] === 'text') return [{ type: 'text', text: looseText.parse(part['text']) }]
    const file = FileRef.safeParse(part['file']).data
    return file === undefined ? [] : [{ type: 'file', file }]
  })
}

/** A call that was not finished gets a result, below which its chat can go on. */
function withResults(messages: readonly Message[]): readonly Message[] {
  const answered = new Set(
    messages.flatMap(({ role, parent_id }) => (role === 'user' && parent_id !== null ? [parent_id] : [])),
  )
  const ids = new Set(messages.map(({ id }) => id))
  return messages.flatMap((message) => {
    if (message.call?.state !== 'answered' || answered.has(message.id)) return [message]
    let id = `${message.id}-result`
    while (ids.has(id)) id += '-'
    const { server, tool } = message
    const unix_timestamp = message.unix_timestamp === 0 ? 0 : message.unix_timestamp + 1
    const result: Message = {
      id,
      parent_id: message.id,
      role: 'user',
      content: noResult,
      status: 'complete',
      timestamp: new Date(unix_timestamp).toISOString(),
      unix_timestamp,
      ...(server !== undefined && { server }),
      ...(tool !== undefined && { tool }),
      outcome: { status: 'interrupted', duration: null, parts: [{ type: 'note', text: noResult }] },
    }
    return [message, result]
  })
}

function readCompaction(value: unknown, ids: ReadonlySet<string>): readonly Compaction[] {
  const compaction = Compaction.safeParse(value).data
  if (compaction === undefined || !ids.has(compaction.message_id)) return []
  const { rewriting_until: _rewriting, ...kept } = compaction
  return [kept]
}

/** The files that the export lists, and those that only messages name. */
function listFiles(
  listed: readonly unknown[],
  messages: readonly Message[],
  { findEntry }: ReadContext,
): readonly ImportedFile[] {
  const files = new Map<string, ImportedFile>()
  for (const item of listed) {
    const file = ListedFile.safeParse(item).data
    if (file === undefined || file.id === null) continue
    const source: FileSource | null =
      file.base64 !== '' ? { base64: file.base64 } : file.path === null ? null : findEntry(file.path)
    files.set(file.id, { id: file.id, name: file.name ?? file.id, source })
  }
  for (const { content } of messages) {
    if (typeof content === 'string') continue
    for (const part of content) {
      if (part.type !== 'file' || files.has(part.file.id)) continue
      files.set(part.file.id, { id: part.file.id, name: part.file.name, source: null })
    }
  }
  return [...files.values()]
}
