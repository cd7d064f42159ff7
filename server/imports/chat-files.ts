import type { FileRef, Message, MessageContent } from '@yonder/contract/message'
import { filesOfContent, textOfContent, toContent } from '@yonder/contract/message-text'
import type { ToolOutcome } from '@yonder/contract/tool-call'
import type { Actor } from '../access/access.ts'
import type { FileTable } from '../db/tables/tables.ts'
import { type FileDeps, storeFile, toFileRef } from '../files/store-file.ts'
import { AppError } from '../lib/app-error.ts'
import type { FileSources } from './formats/file-sources.ts'
import type { FileSource } from './imported-chat.ts'
import { type StorableChat, toMissingId } from './storable-chat.ts'

/** The files of one chat of an import. Each is stored when a message needs it, at most once. */
export class ChatFiles {
  readonly #deps: FileDeps
  readonly #actor: Actor
  readonly #sources: FileSources
  readonly #chat: StorableChat
  readonly #stored = new Map<string, FileTable | null>()

  constructor(deps: FileDeps, actor: Actor, sources: FileSources, chat: StorableChat) {
    this.#deps = deps
    this.#actor = actor
    this.#sources = sources
    this.#chat = chat
  }

  /**
   * Counts the files that the chat has here, and those that stand as their names. `missing` are the ids of the latter
   * before this import; undefined for a chat that was not here.
   */
  count(missing: ReadonlySet<string> | undefined): { readonly files: number; readonly missingFiles: number } {
    let missingFiles = 0
    for (const { id, source } of this.#chat.files.values()) {
      const stored = this.#stored.get(id)
      const wasMissing = missing === undefined ? source === null : missing.has(toMissingId(this.#chat, id))
      if (stored === undefined ? wasMissing : stored === null) missingFiles += 1
    }
    return { files: this.#chat.files.size - missingFiles, missingFiles }
  }

  /** Stores the files that a message has, as far as the export has them. */
  async store({ content }: Pick<Message, 'content'>, signal: AbortSignal): Promise<void> {
    for (const { id } of filesOfContent(content))
      if (!this.#stored.has(id)) this.#stored.set(id, await this.#storeOne(id, signal))
  }

  /** The file of a message as it is stored, or its name. */
  refOf(ref: FileRef): FileRef {
    const stored = this.#stored.get(ref.id) ?? null
    if (stored === null) return { ...ref, id: toMissingId(this.#chat, ref.id) }
    return { ...toFileRef(stored, ref.name), ...(ref.alt !== undefined && { alt: ref.alt }) }
  }

  /** Content with the files as they are stored, each once. */
  contentOf(content: MessageContent): MessageContent {
    const refs = new Map(filesOfContent(content).map((ref) => [this.refOf(ref).id, this.refOf(ref)]))
    return toContent(textOfContent(content), [...refs.values()])
  }

  /** The result of a tool, whose parts name its files. */
  outcomeOf(outcome: ToolOutcome): ToolOutcome {
    const rename = (id: string) => this.#stored.get(id)?.id ?? toMissingId(this.#chat, id)
    return {
      ...outcome,
      parts: outcome.parts.map((part) => ('file' in part ? { ...part, file: rename(part.file) } : part)),
    }
  }

  /** The ids of files of a content that have a row. */
  storedIds(content: MessageContent): readonly string[] {
    return [...new Set(filesOfContent(content).flatMap(({ id }) => this.#stored.get(id)?.id ?? []))]
  }

  async #storeOne(id: string, signal: AbortSignal): Promise<FileTable | null> {
    const file = this.#chat.files.get(id)
    if (file === undefined || file.source === null) return null
    try {
      const { size, bytes } = await openSource(this.#sources, file.source)
      try {
        if (size > this.#deps.limits.maxFile) return null
        const content = { name: file.name, bytes: wholeBytes(bytes), accepts: 'everything' } as const
        return await storeFile(this.#deps, this.#actor, content, signal)
      } finally {
        bytes.destroy()
      }
    } catch (error) {
      signal.throwIfAborted()
      // It is damaged or too large, or the user's files take all that they may.
      if (error instanceof AppError) return null
      throw error
    }
  }
}

/**
 * Opens a file of an export.
 * @throws AppError when the export does not have it, or is damaged at this place
 */
export async function openSource(sources: FileSources, source: FileSource) {
  try {
    return await sources.open(source)
  } catch (error) {
    throw error instanceof AppError ? error : damaged(error)
  }
}

async function* wholeBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    throw damaged(error)
  }
}

function damaged(cause: unknown): AppError {
  return new AppError('invalid_request', 'The file is damaged in the export.', { cause })
}
