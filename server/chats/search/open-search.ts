import type { Database } from '../../db/database.ts'
import { repeatUntilStopped } from '../../lib/repeat-until-stopped.ts'
import { findInPostgres } from './postgres-search-store.ts'
import { indexMessages } from './index-messages.ts'
import { openWorkerSearch } from './worker-search.ts'
import type { ChatList } from '@yonder/contract/chat'
import type { User } from '../../identity/user.ts'
import { countChats, listChatIds } from '../chat-store.ts'
import { maxTotal } from './chat-finder.ts'
import type { ChatFinder } from './chat-finder.ts'
import { splitWords } from './words.ts'
import { summarizeChats } from './summarize-chats.ts'

/** Pauses between two slices of indexing: while messages are queued, and while none are. */
const busyIntervalMs = 20
const idleIntervalMs = 300

export interface Search {
  readonly searchChats: SearchChats
  close(): Promise<void>
}

/** The search in chats. On SQLite it also updates the index, in short slices that do not delay the streams (§20.10). */
export function openSearch(database: Database, onError: (error: unknown) => void): Search {
  const { db, file } = database
  if (file === null) {
    return {
      searchChats: createChatSearch(database, (request) => findInPostgres(db, request)),
      close: () => Promise.resolve(),
    }
  }
  const worker = openWorkerSearch(file)
  const endIndexing = repeatUntilStopped(
    async () => ((await indexMessages(db)) ? busyIntervalMs : idleIntervalMs),
    idleIntervalMs,
    onError,
  )
  return {
    searchChats: createChatSearch(database, worker.find),
    async close() {
      await Promise.all([endIndexing(), worker.close()])
    },
  }
}

export interface ChatQuery {
  readonly search: string
  /** Starts at 1. */
  readonly page: number
  readonly limit: number
}

export type SearchChats = (user: User, query: ChatQuery) => Promise<ChatList>

/** A user's chats, newest first; with a search, those in which every word occurs (§7.8). */
export function createChatSearch({ db }: Database, findChats: ChatFinder): SearchChats {
  return async (user, { search, page, limit }) => {
    const words = splitWords(search)
    const offset = (page - 1) * limit
    const found =
      words.length === 0
        ? {
            ids: await listChatIds(db, user, { offset, limit }),
            total: await countChats(db, user, maxTotal),
          }
        : await findChats({ userId: user.id, words, offset, limit })
    return { chats: await summarizeChats(db, user, found.ids), total: found.total, page, limit }
  }
}
