import { setTimeout as wait } from 'node:timers/promises'
import { maxTitleLength } from '@yonder/contract/lib/chat-limits'
import { foldText } from '@yonder/contract/lib/fold-text'
import type { Message } from '@yonder/contract/message'
import { filesOfContent, historyTitleOf } from '@yonder/contract/message-text'
import { type Actor, ownedBy } from '../access/access.ts'
import { maxChatChars } from '../chats/chat-store.ts'
import { toFilledReply } from '../chats/message-store.ts'
import type { StoredCall } from '../chats/tool-call-store.ts'
import type { Db, Dialect } from '../db/database.ts'
import type { CompactionRow, NewChatRow } from '../db/tables/tables.ts'
import { linkFiles } from '../files/file-store.ts'
import type { FileDeps } from '../files/store-file.ts'
import { isEnabled } from '../identity/users/user-store.ts'
import { AppError } from '../lib/app-error.ts'
import { newId } from '../lib/new-id.ts'
import { fitText, toVisibleLine } from '../lib/text.ts'
import { lockProject } from '../projects/project-store.ts'
import { ChatFiles } from './chat-files.ts'
import type { FileSources } from './formats/file-sources.ts'
import {
  changeImportedChat,
  type FilesOfMessage,
  findKnownChat,
  type ImportedRow,
  insertImportedChat,
  insertImportedCompaction,
  insertImportedMessages,
  isTaken,
  type KnownChat,
  type KnownMessage,
  listKnownMessages,
  listMissingFiles,
  lockImportedChat,
  replaceFiles,
} from './import-store.ts'
import { openPathFirst, type PlacedMessage, placeMessages } from './place-messages.ts'
import { countImported, type StorableChat, tooLong, toMissingId } from './storable-chat.ts'

/** What the chats of one import have in common. */
export interface ImportFrame {
  readonly deps: FileDeps
  readonly actor: Actor
  /** The bot with which its chats go on. */
  readonly botId: string | null
  /** Finds or makes a project by its name. Null when the user can have no more. */
  readonly openProject: (name: string) => Promise<string | null>
  readonly sources: FileSources
  readonly pacer: Pacer
  readonly signal: AbortSignal
}

export interface StoredChat {
  readonly id: string
  readonly outcome: 'new' | 'changed' | 'known'
  /** Files that the chat has here, and those that stand as their names. */
  readonly files: number
  readonly missingFiles: number
}

/** How often a chat is planned anew, because its user or another import has changed it meanwhile. */
const maxAttempts = 20

/**
 * Stores what is new in a chat: the chat, messages, files. Every transaction leaves the chat whole, and a chat that was
 * cut by the end of the process goes on with the next import as if it had not been.
 * @throws AppError for a chat that cannot be stored
 */
export async function storeChat(frame: ImportFrame, chat: StorableChat): Promise<StoredChat> {
  const { deps, actor, signal, sources } = frame
  const files = new ChatFiles(deps, actor, sources, chat)
  let outcome: StoredChat['outcome'] = 'known'
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const plan = await planChat(deps.database.db, actor, chat)
    if (plan.added.length + plan.fills.length === 0)
      return { id: plan.known?.id ?? '', outcome, ...files.count(plan.missing) }
    for (const { message } of [...plan.added, ...plan.fills]) await files.store(message, signal)
    const writer = new ChatWriter(frame, chat, plan, files)
    const isDone = (await writer.write()) === 'done'
    if (writer.hasInserted) outcome = 'new'
    else if (writer.hasChanged && outcome === 'known') outcome = 'changed'
    if (isDone) return { id: writer.chatId, outcome, ...files.count(plan.missing) }
  }
  throw new AppError('conflict', 'It was changed again and again while it was imported.')
}

/** A message that is here with files of which only the names are. */
interface Fill {
  readonly message: Message
  readonly stored: FilesOfMessage
}

export interface ChatPlan {
  /** The chat that is here. */
  readonly known: KnownChat | undefined
  readonly added: readonly PlacedMessage[]
  readonly fills: readonly Fill[]
  /** The ids of files of the chat that is here which are only names. */
  readonly missing: ReadonlySet<string> | undefined
}

/**
 * Finds out what of a chat is new. Of a chat that the user has deleted, and can restore, nothing is.
 * @throws AppError for a chat that would be too long
 */
export async function planChat(db: Db, actor: Actor, chat: StorableChat): Promise<ChatPlan> {
  const known = await findKnownChat(db, actor, chat)
  if (known !== undefined && known.deleted_at !== null)
    return { known, added: [], fills: [], missing: new Set() }
  const places = known === undefined ? new Map<string, KnownMessage>() : await listKnownMessages(db, known.id)
  const start = known?.created_at ?? chat.createdAt ?? chat.updatedAt ?? chat.readAt
  const added = placeMessages(chat.messages, places, start)
  const chars = added.reduce((sum, { message }) => sum + countImported(message), known?.chars ?? 0)
  if (chars > maxChatChars) throw new AppError('conflict', tooLong)
  if (known === undefined) return { known, added, fills: [], missing: undefined }
  const stored = await listMissingFiles(db, known.id)
  const missing = new Set(stored.flatMap(({ files }) => files.map(({ id }) => id)))
  return { known, added, fills: planFills(chat, stored), missing }
}

function planFills(chat: StorableChat, stored: readonly FilesOfMessage[]): readonly Fill[] {
  if (stored.length === 0) return []
  const messages = new Map(chat.messages.map((message) => [message.id, message]))
  const available = new Set(
    [...chat.files.values()].filter(({ source }) => source !== null).map(({ id }) => toMissingId(chat, id)),
  )
  return stored.flatMap((row) => {
    const message = messages.get(row.id)
    const canFill = row.files.some(({ id }) => available.has(id))
    return message === undefined || !canFill ? [] : [{ message, stored: row }]
  })
}

/** Milliseconds of one transaction, for which all other writes wait on SQLite, and of the pause after it. */
const maxSliceMs = 5
const pauseMs = 10
/** Messages of one statement. */
const insertedAtOnce = 20
const maxInsertedChars = 500_000

/** Lets others write after each few milliseconds of transactions, where one writes at a time. */
export class Pacer {
  readonly #kind: Dialect['kind']
  #busyMs = 0

  constructor({ kind }: Pick<Dialect, 'kind'>) {
    this.#kind = kind
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const start = performance.now()
    const result = await work()
    this.#busyMs += performance.now() - start
    if (this.#kind === 'sqlite' && this.#busyMs >= maxSliceMs) {
      await wait(pauseMs)
      this.#busyMs = 0
    }
    return result
  }
}

type Written = 'done' | 'stale'

/** Writes the plan of one chat, for some milliseconds in each transaction. */
class ChatWriter {
  readonly chatId: string
  /** Whether the chat is new, and whether anything was written. */
  hasInserted = false
  hasChanged = false
  readonly #frame: ImportFrame
  readonly #chat: StorableChat
  readonly #plan: ChatPlan
  readonly #files: ChatFiles
  /** The message that the import shows last; the path to it is shown. */
  #shownId: string | null

  constructor(frame: ImportFrame, chat: StorableChat, plan: ChatPlan, files: ChatFiles) {
    this.#frame = frame
    this.#chat = chat
    this.#plan = plan
    this.#files = files
    this.chatId = plan.known?.id ?? newId()
    this.#shownId = plan.known?.selected_message_id ?? null
  }

  async write(): Promise<Written> {
    const { openPath } = this.#chat
    const { added, known, fills } = this.#plan
    const messages = openPathFirst(added, openPath)
    const project = known === undefined ? await this.#openProject() : null
    for (let from = 0; from < messages.length;) {
      const written = await this.#inTransaction((trx, deadline) =>
        this.#writeMessages(trx, { messages, from, deadline, project }),
      )
      if (typeof written === 'string') return written
      from = written
    }
    for (const fill of fills)
      if (await this.#inTransaction((trx) => this.#writeFill(trx, fill))) return 'done'
    return 'done'
  }

  #openProject(): Promise<string | null> {
    const { project } = this.#chat
    return project === null ? Promise.resolve(null) : this.#frame.openProject(project)
  }

  #inTransaction<Result>(work: (trx: Db, deadline: number) => Promise<Result>): Promise<Result> {
    const { pacer, deps, signal } = this.#frame
    signal.throwIfAborted()
    return pacer.run(() =>
      deps.database.db.transaction().execute((trx) => work(trx, performance.now() + maxSliceMs)),
    )
  }

  /** Writes some of the messages, and returns the index of the next one. */
  async #writeMessages(trx: Db, { messages, from, deadline, project }: Slice): Promise<number | Written> {
    const { actor } = this.#frame
    const isNew = this.#plan.known === undefined && !this.hasInserted
    if (isNew) {
      if (!(await isEnabled(trx, actor))) throw new AppError('unauthenticated', 'Your account is disabled.')
      const row = this.#toChatRow(await this.#lockProject(trx, project), messages[0]?.id ?? '')
      if (!(await insertImportedChat(trx, actor, row))) return 'stale'
    } else {
      const updatedAt = this.#chat.updatedAt ?? 0
      // The user has deleted it.
      if (!(await lockImportedChat(trx, actor, { id: this.chatId, updatedAt }))) return 'done'
    }
    const shownId = isNew ? (messages[0]?.id ?? null) : this.#shownId
    let leafId = shownId
    let addedChars = 0
    let next = from
    do {
      const slice = takeSlice(messages, next)
      const rows = slice.map((message) => this.#toRow(message))
      if (!isNew && (await isTaken(trx, this.chatId, rows))) {
        if (next === from) return 'stale'
        break
      }
      await insertImportedMessages(trx, rows)
      for (const { message } of slice) {
        await linkFiles(trx, this.chatId, message.id, this.#files.storedIds(message.content))
        await this.#writeCompaction(trx, message.id)
        addedChars += countImported(message)
        if (this.#follows(leafId, message.id)) leafId = message.id
      }
      next += slice.length
    } while (next < messages.length && performance.now() < deadline)
    await changeImportedChat(trx, { id: this.chatId, addedChars, shownId, leafId })
    this.#shownId = leafId
    this.hasInserted ||= isNew
    this.hasChanged = true
    return next
  }

  /** Returns null for a project that the user has deleted meanwhile. */
  async #lockProject(trx: Db, id: string | null): Promise<string | null> {
    if (id === null) return null
    try {
      await lockProject(trx, this.#frame.actor, id)
      return id
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }

  /** Whether a message goes on with the path that is shown. What a user sees of another path stays. */
  #follows(leafId: string | null, id: string): boolean {
    const { openPath } = this.#chat
    return openPath.has(id) && (leafId === null || openPath.has(leafId))
  }

  async #writeCompaction(trx: Db, messageId: string): Promise<void> {
    const compaction = this.#chat.compactions.get(messageId)
    if (compaction === undefined) return
    const { message_count, content, bot, model, edited, time } = compaction
    const row: CompactionRow = {
      id: newId(),
      chat_id: this.chatId,
      message_id: messageId,
      message_count,
      content,
      bot_id: '',
      bot,
      model,
      edited: Number(edited),
      written_at: Date.parse(time) || this.#frame.deps.now(),
      held_until: null,
    }
    await insertImportedCompaction(trx, row)
  }

  /** Puts files in the place of their names. */
  async #writeFill(trx: Db, { message, stored }: Fill): Promise<boolean> {
    const { actor } = this.#frame
    if (!(await lockImportedChat(trx, actor, { id: this.chatId, updatedAt: 0 }))) return true
    const before = new Set(stored.files.map(({ id }) => id))
    const found = new Map<string, string>()
    const files = new Map(stored.files.map((ref) => [ref.id, ref]))
    for (const ref of filesOfContent(message.content)) {
      const missingId = toMissingId(this.#chat, ref.id)
      const now = this.#files.refOf(ref)
      if (now.id === missingId || !before.has(missingId)) continue
      found.set(missingId, now.id)
      files.set(missingId, now)
    }
    if (found.size === 0) return false
    const unique = [...new Map([...files.values()].map((ref) => [ref.id, ref])).values()]
    const outcome = [...found].reduce<string | null>(
      (text, [missingId, id]) => text?.replaceAll(JSON.stringify(missingId), JSON.stringify(id)) ?? null,
      stored.outcome,
    )
    await replaceFiles(trx, this.chatId, { id: message.id, files: unique, outcome })
    const linked = [...new Set(found.values())].filter((id) => !before.has(id))
    await linkFiles(trx, this.chatId, message.id, linked)
    this.hasChanged = true
    return false
  }

  #toChatRow(
    project_id: string | null,
    selected_message_id: string,
  ): NewChatRow & { readonly source: string; readonly source_id: string } {
    const { deps, actor, botId } = this.#frame
    const { key, createdAt, updatedAt, isPinned, isArchived, titleSource, firstText } = this.#chat
    const times = this.#plan.added.map(({ unix_timestamp }) => unix_timestamp)
    const own = fitText(toVisibleLine(this.#chat.title ?? ''), maxTitleLength)
    const title = own === '' ? historyTitleOf(firstText) : own
    const last = times.reduce((max, time) => Math.max(max, time), 0)
    const hasTimes = this.#chat.messages.some(({ unix_timestamp }) => unix_timestamp > 0)
    return {
      id: this.chatId,
      ...ownedBy(actor),
      selected_message_id,
      created_at: createdAt ?? times[0] ?? deps.now(),
      updated_at: updatedAt ?? (hasTimes ? last : deps.now()),
      title,
      title_key: foldText(title),
      title_source: own === '' ? null : titleSource,
      pinned: Number(isPinned),
      archived: Number(isArchived),
      project_id,
      source: key.source,
      source_id: key.id,
      bot_id: botId,
    }
  }

  #toRow({ message, ...place }: PlacedMessage): ImportedRow {
    const { outcome, selected_at, left_out_tools, call, tool = '' } = message
    const content = this.#files.contentOf(message.content)
    const filled = toFilledReply({
      ...message,
      content,
      // The connectors of another user or server.
      ...(left_out_tools !== undefined && {
        left_out_tools: {
          ...left_out_tools,
          connectors: left_out_tools.connectors.map((one) => ({ ...one, connector_id: '' })),
        },
      }),
    })
    const stored: StoredCall | undefined = call && {
      id: `imported-${message.id}`,
      name: tool,
      imported: true,
      ...(call.place !== undefined && { place: call.place }),
      ...(call.title !== undefined && { title: call.title }),
      ...(call.decision !== undefined && { decision: call.decision }),
      ...(call.edited !== undefined && { edited: call.edited }),
      ...(call.denied_by !== undefined && { deniedBy: call.denied_by }),
      rest: [],
    }
    return {
      ...filled,
      ...place,
      chat_id: this.chatId,
      parent_id: message.parent_id,
      role: message.role,
      bot_id: null,
      bot: message.bot ?? null,
      connector_id: null,
      call_state: call === undefined ? null : call.state === 'denied' ? 'denied' : 'answered',
      call: stored === undefined ? null : JSON.stringify(stored),
      outcome: outcome === undefined ? null : JSON.stringify(this.#files.outcomeOf(outcome)),
      selected_at: selected_at ?? null,
    }
  }
}

interface Slice {
  readonly messages: readonly PlacedMessage[]
  readonly from: number
  readonly deadline: number
  readonly project: string | null
}

/** Takes the messages of the next statement: few, of which at most one is long. */
function takeSlice(messages: readonly PlacedMessage[], from: number): readonly PlacedMessage[] {
  let chars = 0
  const end = messages.slice(from, from + insertedAtOnce).findIndex(({ message }, index) => {
    chars += countImported(message)
    return index > 0 && chars > maxInsertedChars
  })
  return messages.slice(from, end === -1 ? from + insertedAtOnce : from + end)
}
