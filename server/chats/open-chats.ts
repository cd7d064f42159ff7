import { deletedChatDays } from '@yonder/contract/lib/chat-limits'
import type { Config } from '../config/config.ts'
import type { Api } from '../http/api.ts'
import { repeatUntilStopped } from '../lib/repeat-until-stopped.ts'
import { type ChatRoutesDeps, registerChatRoutes } from './chat-routes.ts'
import { deleteUnusedChats } from './chat-store.ts'
import { markExpired } from './deletion/deletion-store.ts'
import { purgeSlice, purgeUser, slicePauseMs } from './deletion/purge-chats.ts'
import { registerDraftRoutes } from './drafts/draft-routes.ts'
import { type ChatListRoutesDeps, registerChatListRoutes } from './list/chat-list-routes.ts'
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

/** Milliseconds for which a deleted chat can be restored, and between two purges of those that no longer can. */
const deletedChatMs = deletedChatDays * 86_400_000
const purgeIntervalMs = 10_000

/** The dependencies of the app that this domain uses. */
interface AppDeps extends Pick<ChatRoutesDeps, 'database' | 'now'> {
  readonly config: Pick<Config, 'selfService'>
}

export interface ChatOptions
  extends
    Pick<ChatRoutesDeps, 'runReader' | 'onChatChanged'>,
    Pick<ChatListRoutesDeps, 'onChatsChanged' | 'onDeleted'> {
  /** Called with errors that no user can act on. */
  readonly onError: (error: unknown) => void
}

/** Opens the chats with their background tasks: indexing for the search, and deleting unused and deleted chats. */
export function openChats({ config: { selfService }, database, now }: AppDeps, options: ChatOptions) {
  const { runReader, onChatChanged, onChatsChanged, onDeleted, onError } = options
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
  const purge = { database, search }
  const endPurge = repeatUntilStopped(
    async () => {
      const isMarking = await markExpired(database.db, now() - deletedChatMs)
      return isMarking || (await purgeSlice(purge)) === 'more' ? slicePauseMs : purgeIntervalMs
    },
    purgeIntervalMs,
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
      registerDraftRoutes(api, database)
      registerChatListRoutes(api, { database, now, selfService, onChatsChanged, onDeleted })
    },
    /** Deletes all chats of a user for good, in slices, so that other users do not wait. */
    async deleteAll(userId: string): Promise<void> {
      await purgeUser(purge, userId)
      await search.forgetUser(userId)
    },
    /** Must be called before the database closes. */
    async close(): Promise<void> {
      await Promise.all([search.close(), endDeletion(), endPurge()])
    },
  }
}
