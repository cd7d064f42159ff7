import type { ImportSource } from '../imported-chat.ts'

/** A file that may have chats: one that was given, or one in an archive. */
export interface JsonFile {
  /** For the user: with the name of its archive. */
  readonly name: string
  /** The place of the file, or of its archive, among those that were given. */
  readonly archive: number
  /** In bytes, unpacked. */
  readonly size: number
  /** The product, if it is known without looking into the file. */
  readonly source?: ImportSource
  /** The folder of the export in its archive, with a slash at its end; empty if it is the archive itself. */
  readonly folder: string
  /** Whether only files with chats have such a name. */
  readonly isNamedLikeChats: boolean
  readonly open: () => Promise<AsyncIterable<Buffer>>
}
