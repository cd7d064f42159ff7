import type { Api } from '../http/api.ts'
import { repeatUntilStopped } from '../lib/repeat-until-stopped.ts'
import { type ChatRoutesDeps, registerChatRoutes } from './chat-routes.ts'
import { deleteChatsOfUser, deleteMessagesOfUser, deleteUnusedChats } from './chat-store.ts'
import { registerChatListRoutes } from './list/chat-list-routes.ts'
import { openSearch } from './search/open-search.ts'

/** Milliseconds for which a chat without messages is kept, and between two deletions of such chats. */
const maxUnusedAgeMs = 86_400_000
const deletionIntervalMs = 3_600_000
/**
 * Chats without messages that a user may keep. Those whose id was requested in the last `minSurplusAgeMs` do not count,
 * because their first message may follow.
 */
const maxUnusedChats = 100
const minSurplusAgeMs = 600_000

/** Messages that one statement deletes. More would delay the commits of replies that are being written. */
const maxDeletedMessages = 200

/** The dependencies of the app that this domain uses. */
type AppDeps = Pick<ChatRoutesDeps, 'database' | 'now'>

export interface ChatOptions extends Pick<ChatRoutesDeps, 'runReader' | 'onChatChanged'> {
  /** Called with errors that no user can act on. */
  readonly onError: (error: unknown) => void
}

/** Opens the chats with their background tasks: indexing for the search, and deleting unused chats. */
export function openChats({ database, now }: AppDeps, options: ChatOptions) {
  const { runReader, onChatChanged, onError } = options
  const search = openSearch(database, onError)
  const endDeletion = repeatUntilStopped(
    () =>
      deleteUnusedChats(database.db, {
        expiredBefore: now() - maxUnusedAgeMs,
        surplusBefore: now() - minSurplusAgeMs,
        max: maxUnusedChats,
      }),
    deletionIntervalMs,
    onError,
  )
  return {
    register(api: Api): void {
      registerChatRoutes(api, {
        database,
        now,
        runReader,
        searchChats: search.searchChats,
        onChatChanged,
      })
      registerChatListRoutes(api, database)
    },
    /** Deletes all chats of a user, in slices, so that other users do not wait. */
    async deleteAll(userId: string): Promise<void> {
      await search.removeUser(userId)
      while ((await deleteMessagesOfUser(database.db, userId, maxDeletedMessages)) === maxDeletedMessages) {
        await new Promise((resolve) => setImmediate(resolve))
      }
      await deleteChatsOfUser(database.db, userId)
    },
    /** Must be called before the database closes. */
    async close(): Promise<void> {
      await Promise.all([search.close(), endDeletion()])
    },
  }
}
