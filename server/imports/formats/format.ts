import type { JsonObject } from '../../lib/json-object.ts'
import type { FileSource, ImportedChat, UnreadableChat } from '../imported-chat.ts'

/** How the chats of one product are read. */
export interface Format {
  /** Whether an object is one of its chats, even one with parts missing. */
  readonly recognizes: (chat: JsonObject) => boolean
  /** Returns null for a chat that is not to be imported.  */
  readonly read: (chat: JsonObject, context: ReadContext) => ImportedChat | UnreadableChat | null
}

/** What a chat refers to, of all files of the import. */
export interface ReadContext {
  /** Finds an asset by its id at its product, such as `file-AbC123`. */
  readonly findAsset: (
    id: string,
  ) => { readonly source: FileSource | null; readonly name: string | null } | undefined
  /** Finds a member of the archive in which the chat is. */
  readonly findEntry: (path: string) => FileSource | null
  readonly findProject: (id: string) => string | null
}

/** Messages of a chat. */
const maxMessages = 200_000

/** What is wrong with the messages of a chat, of which there are this many; undefined when nothing is. */
export function problemOfCount(count: number): string | undefined {
  return count > maxMessages ? `It has more than ${maxMessages.toLocaleString('en')} messages.` : undefined
}
