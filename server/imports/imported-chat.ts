import type { Compaction } from '@yonder/contract/compaction'
import type { Message } from '@yonder/contract/message'
import type { ImportSource } from '@yonder/contract/transfer'

export { importSources, type ImportSource } from '@yonder/contract/transfer'

/** A chat as an export has it, in the form of our own chats. */
export interface ImportedChat {
  /** Its id in the product of the export. */
  readonly sourceId: string
  /** Of our own export: from where the chat was imported there. */
  readonly origin?: { readonly product: ImportSource; readonly id: string }
  readonly title: string | null
  /** Who wrote the title; null when it is the beginning of the first message. */
  readonly titleSource: 'user' | 'model' | null
  /** Milliseconds since 1970. Null when the export does not say. */
  readonly createdAt: number | null
  readonly updatedAt: number | null
  readonly isArchived: boolean
  readonly isPinned: boolean
  /** The name of the project or folder in which it is. */
  readonly project: string | null
  /** The end of the path that was open. It is one of the messages, unless there are none. */
  readonly selectedMessageId: string | null
  /**
   * Parents before their children, with the ids of the export. `unix_timestamp` is 0 when the export does not say. A
   * file's `id` is that of one of `files`. Calls of tools are `answered`, and each has its result below it.
   */
  readonly messages: readonly Message[]
  readonly compactions: readonly Compaction[]
  readonly files: readonly ImportedFile[]
}

/** A file that messages of an export name. */
export interface ImportedFile {
  /** Its id in the product of the export. */
  readonly id: string
  readonly name: string
  /** Where its bytes are. Null when the export does not have them. */
  readonly source: FileSource | null
}

/**
 * A member of an archive, by the place of the archive among the files that were given to the import; or what the chat
 * itself has: a text, or the bytes.
 */
export type FileSource =
  | { readonly archive: number; readonly entry: string }
  | { readonly text: string }
  | { readonly base64: string }

/** A chat that cannot be imported. */
export interface UnreadableChat {
  readonly sourceId: string | null
  readonly title: string | null
  /** A sentence for the user. */
  readonly problem: string
}
