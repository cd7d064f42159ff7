import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ClientId } from '@yonder/contract/chat'
import type { Compaction } from '@yonder/contract/compaction'
import { maxSummaryChars } from '@yonder/contract/lib/chat-limits'
import { missingFilePrefix } from '@yonder/contract/lib/file-limits'
import { Message } from '@yonder/contract/message'
import { countChars, textOfMessage } from '@yonder/contract/message-text'
import type { ToolCall } from '@yonder/contract/tool-call'
import type { ImportSource } from '@yonder/contract/transfer'
import { maxChatChars } from '../chats/chat-store.ts'
import { normalizeText } from '../lib/text.ts'
import type { ImportedChat, ImportedFile, UnreadableChat } from './imported-chat.ts'

/** A chat of an export, checked: every field can be stored, and every parent stands before its children. */
export interface StorableChat extends Pick<
  ImportedChat,
  'title' | 'titleSource' | 'isArchived' | 'isPinned' | 'project'
> {
  /** What names the chat in all imports of a user. */
  readonly key: { readonly source: ImportSource; readonly id: string }
  /** Its ids in the Yonder that exported it and in the one from which it came there. Either may be this one. */
  readonly ownIds: readonly string[]
  readonly createdAt: number | null
  readonly updatedAt: number | null
  /** When the chat was read, which is its time when the export has none. */
  readonly readAt: number
  /** Their times are 0 when they are unknown. */
  readonly messages: readonly Message[]
  /** The end of the open path, and all ids on it. */
  readonly leafId: string
  readonly openPath: ReadonlySet<string>
  /** The beginning of this text is the title, unless there is one. */
  readonly firstText: string
  /** By the message with which each ends. */
  readonly compactions: ReadonlyMap<string, Compaction>
  /** By their ids in the export. */
  readonly files: ReadonlyMap<string, ImportedFile>
}

/** Messages that are checked without a pause. */
const checkedAtOnce = 100
const maxKeyChars = 200
/** Characters that a message of ours may have beside its text, in names and numbers. */
const maxFrameChars = 2_000
/** None of the products is as old. */
const earliestTime = Date.UTC(2000, 0)

/** Checks a chat of an export. Never throws. `now` is in milliseconds since 1970. */
export async function toStorableChat(
  chat: ImportedChat,
  source: ImportSource,
  now: number,
): Promise<StorableChat | UnreadableChat> {
  const title = chat.title === null ? null : normalizeText(chat.title)
  const refuse = (problem: string): UnreadableChat => ({ sourceId: chat.sourceId, title, problem })
  if (chat.messages.length === 0) return refuse('No messages in it.')
  const messages = new Map<string, Message>()
  let chars = 0
  for (const [index, imported] of chat.messages.entries()) {
    if (index % checkedAtOnce === checkedAtOnce - 1) await nextTurn()
    const message = toStorableMessage(imported, now)
    if (message === undefined) return refuse('One of its messages cannot be read.')
    const { parent_id, id } = message
    if (messages.has(id) || (parent_id !== null && !messages.has(parent_id)))
      return refuse('Its messages do not fit together.')
    chars += countImported(message)
    if (chars > maxChatChars) return refuse(tooLong)
    messages.set(id, message)
  }
  const list = [...messages.values()]
  const selected = toMessageId(chat.selectedMessageId ?? '')
  const leafId = messages.has(selected) ? selected : (list.at(-1)?.id ?? '')
  const openPath = new Set<string>()
  let root: Message | undefined
  for (let at = messages.get(leafId); at !== undefined; at = messages.get(at.parent_id ?? '')) {
    openPath.add(at.id)
    root = at
  }
  const { origin } = chat
  const key = { source: origin?.product ?? source, id: toKey(origin?.id ?? chat.sourceId) }
  return {
    key,
    ownIds: source !== 'yonder' ? [] : [toKey(chat.sourceId), ...(key.source === 'yonder' ? [key.id] : [])],
    title,
    titleSource: chat.titleSource,
    isArchived: chat.isArchived,
    isPinned: chat.isPinned,
    project: chat.project === null ? null : normalizeText(chat.project),
    createdAt: toTime(chat.createdAt, now),
    updatedAt: toTime(chat.updatedAt, now),
    readAt: now,
    messages: list,
    leafId,
    openPath,
    firstText: root === undefined ? '' : textOfMessage(root),
    compactions: new Map(
      chat.compactions
        .map((one) => normalizeTexts({ ...one, message_id: toMessageId(one.message_id) }))
        .filter(({ message_id, content }) => messages.has(message_id) && content.length <= maxSummaryChars)
        .map((one) => [one.message_id, one]),
    ),
    files: new Map(chat.files.map((file) => [file.id, file])),
  }
}

export const tooLong = `Longer than ${maxChatChars.toLocaleString('en')} characters, the most that a chat can have.`

/**
 * Counts a message like `countChars`, and what it has beside its text as far as that is more than a message of ours has:
 * the parts of a result repeat its text, and names are short.
 */
export function countImported(message: Message): number {
  const chars = countChars(message)
  const { content: _, partial: __, reasoning: ___, arguments: ____, ...others } = message
  return chars + Math.max(0, JSON.stringify(others).length - 2 * chars - maxFrameChars)
}

function toStorableMessage(imported: Message, now: number): Message | undefined {
  const { data } = Message.safeParse(imported)
  if (data === undefined) return undefined
  const message = normalizeTexts(data)
  const { call, outcome, compacting: _compacting, partial, error, ...rest } = message
  const isReply = message.role === 'assistant'
  const status = !isReply ? 'complete' : message.status === 'streaming' ? 'interrupted' : message.status
  return {
    ...rest,
    id: toMessageId(message.id),
    parent_id: message.parent_id === null ? null : toMessageId(message.parent_id),
    unix_timestamp: toTime(message.unix_timestamp, now) ?? 0,
    status,
    ...(partial !== undefined && { partial }),
    ...(isReply && error !== undefined && { error }),
    ...(isReply && call !== undefined && { call: toStorableCall(call) }),
    // Without the name of a server, it would be a message that the user wrote.
    ...(!isReply && outcome !== undefined && { outcome, server: message.server ?? 'Tool' }),
  }
}

function toStorableCall(call: ToolCall): ToolCall {
  return call.denied_by === undefined ? call : { ...call, denied_by: toMessageId(call.denied_by) }
}

/** An id that a message of ours can have. */
export function toMessageId(id: string): string {
  return ClientId.safeParse(id).success ? id : hashOf(id)
}

function toKey(id: string): string {
  const text = normalizeText(id)
  return text.length <= maxKeyChars ? text : hashOf(text)
}

/** The id of a file in a message while its bytes are not here. It names no row, and is the same in every import. */
export function toMissingId({ key }: Pick<StorableChat, 'key'>, fileId: string): string {
  return `${missingFilePrefix}${hashOf(`${key.source}\n${key.id}\n${fileId}`).slice(0, 22)}`
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Returns a time that can be right; null for none. */
function toTime(time: number | null, now: number): number | null {
  if (time === null || !Number.isFinite(time) || time < earliestTime) return null
  return Math.min(Math.round(time), now)
}

/** Normalizes every text in a value that came from JSON. */
function normalizeTexts<Value>(value: Value): Value {
  return normalizeAny(value) as Value
}

function normalizeAny(value: unknown): unknown {
  if (typeof value === 'string') return normalizeText(value)
  if (Array.isArray(value)) return value.map(normalizeAny)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, normalizeAny(field)]))
}
