import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ImportPreview, maxSkippedChats } from '@yonder/contract/transfer'
import type { Actor } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../lib/app-error.ts'
import { openSource } from './chat-files.ts'
import type { FileSources } from './formats/file-sources.ts'
import type { OpenedExport } from './formats/open-export.ts'
import type { FileSource, UnreadableChat } from './imported-chat.ts'
import { presentSkipped } from './skipped-chat.ts'
import { type StorableChat, toStorableChat } from './storable-chat.ts'
import { planChat } from './store-chat.ts'

export interface PreviewDeps {
  readonly db: Db
  readonly actor: Actor
  readonly sources: FileSources
  readonly now: number
  /** Called after each chat. */
  readonly onChat: () => void
  readonly signal: AbortSignal
}

/**
 * Finds out what the import of an export would do. Of the chats only their keys are kept.
 * @throws AppError `invalid_request` when none can be read
 */
export async function readPreview(
  { db, actor, sources, now, onChat, signal }: PreviewDeps,
  read: OpenedExport,
): Promise<ImportPreview> {
  const counter = new PreviewCounter(read.source, sources)
  for await (const chat of read.chats()) {
    signal.throwIfAborted()
    const storable = 'problem' in chat ? chat : await toStorableChat(chat, read.source, now)
    if ('problem' in storable) counter.skip(storable)
    else await counter.add(storable, () => planChat(db, actor, storable))
    onChat()
    await nextTurn()
  }
  const { preview } = counter
  if (preview.new_chats + preview.known_chats === 0) throw nothingToImport(preview)
  return preview
}

class PreviewCounter {
  readonly #preview: ImportPreview
  readonly #sources: FileSources
  readonly #keys = new Set<string>()
  readonly #entries = new Set<string>()
  #firstTime = Infinity
  #lastTime = 0

  constructor(source: ImportPreview['source'], sources: FileSources) {
    this.#sources = sources
    this.#preview = { source, ...nothingRead, unreadable: [] }
  }

  get preview(): ImportPreview {
    const toIso = (time: number) => new Date(time).toISOString()
    return {
      ...this.#preview,
      first_time: this.#lastTime === 0 ? null : toIso(this.#firstTime),
      last_time: this.#lastTime === 0 ? null : toIso(this.#lastTime),
    }
  }

  skip(chat: UnreadableChat): void {
    this.#preview.unreadable_chats += 1
    if (this.#preview.unreadable.length < maxSkippedChats) this.#preview.unreadable.push(presentSkipped(chat))
  }

  async add(chat: StorableChat, plan: () => ReturnType<typeof planChat>): Promise<void> {
    const key = `${chat.key.source} ${chat.key.id}`
    const isRepeated = this.#keys.has(key)
    this.#keys.add(key)
    try {
      const { known, added, fills } = await plan()
      if (known === undefined && !isRepeated) this.#preview.new_chats += 1
      else this.#preview.known_chats += 1
      if (known !== undefined && added.length + fills.length > 0) this.#preview.changed_chats += 1
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return this.skip({ sourceId: null, title: chat.title, problem: error.message })
    }
    this.#addTimes(chat)
    for (const { source } of chat.files.values()) await this.#addFile(source)
  }

  #addTimes({ createdAt, updatedAt, messages }: StorableChat): void {
    const times = [createdAt, updatedAt, ...messages.map(({ unix_timestamp }) => unix_timestamp)]
    for (const time of times) {
      if (time === null || time === 0) continue
      this.#firstTime = Math.min(this.#firstTime, time)
      this.#lastTime = Math.max(this.#lastTime, time)
    }
  }

  async #addFile(source: FileSource | null): Promise<void> {
    const size = source === null ? null : await this.#sizeOf(source)
    if (source === null || size === null) {
      this.#preview.missing_files += 1
      return
    }
    if ('archive' in source) {
      const entry = `${source.archive} ${source.entry}`
      if (this.#entries.has(entry)) return
      this.#entries.add(entry)
    }
    this.#preview.files += 1
    this.#preview.file_bytes += size
  }

  /** Returns null when the export does not have the file. */
  async #sizeOf(source: FileSource): Promise<number | null> {
    try {
      const { size, bytes } = await openSource(this.#sources, source)
      bytes.destroy()
      return size
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }
}

const nothingRead = {
  new_chats: 0,
  known_chats: 0,
  changed_chats: 0,
  unreadable_chats: 0,
  files: 0,
  file_bytes: 0,
  missing_files: 0,
  first_time: null,
  last_time: null,
}

function nothingToImport({ unreadable_chats: count, unreadable: [first] }: ImportPreview): AppError {
  const reason =
    first === undefined
      ? 'There is no chat in it.'
      : `None of the ${count.toLocaleString('en')} chats can be read. The first one: ${first.problem}`
  return new AppError('invalid_request', `Nothing could be imported. ${reason}`)
}
