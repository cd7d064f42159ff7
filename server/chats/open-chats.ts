import type { Database } from '../db/database.ts'
import type { Api } from '../http/api.ts'
import { repeatUntilStopped } from '../lib/repeat-until-stopped.ts'
import { registerChatRoutes } from './chat-routes.ts'
import { deleteEmptyChats } from './chat-store.ts'
import { openSearch } from './search/open-search.ts'
import type { PartialReply } from './read-chat.ts'

/** Milliseconds for which a chat that was reserved and never used is kept, and between two looks for such. */
const emptyChatTime = 86_400_000
const removalInterval = 3_600_000

export interface ChatOptions {
  readonly database: Database
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The reply that is being written into a chat, on whichever node. */
  readonly readRun: (chatId: string) => Promise<PartialReply | undefined>
  /** Tells a person's other tabs and devices. */
  readonly onChatChanged: (userId: string, chatId: string) => void
  /** For what a person cannot act on. */
  readonly onError: (error: unknown) => void
}

export interface Chats {
  register(api: Api): void
  /** Call it before the database closes. */
  close(): Promise<void>
}

/** The chats, with what is done for them from time to time: indexing for the search, removing unused ones. */
export function openChats(options: ChatOptions): Chats {
  const { database, now, onError } = options
  const search = openSearch(database, onError)
  const endRemoval = repeatUntilStopped(
    () => deleteEmptyChats(database.db, now() - emptyChatTime),
    removalInterval,
    onError,
  )
  return {
    register: (api) => registerChatRoutes(api, { ...options, searchChats: search.searchChats }),
    async close() {
      await Promise.all([search.close(), endRemoval()])
    },
  }
}
