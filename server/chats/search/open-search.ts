import type { Database } from '../../db/database.ts'
import { repeatUntilStopped } from '../../lib/repeat-until-stopped.ts'
import { findInPostgres } from './find-in-postgres.ts'
import { indexMessages } from './index-messages.ts'
import { createChatSearch } from './search-chats.ts'
import type { SearchChats } from './search-chats.ts'
import { openWorkerSearch } from './open-worker-search.ts'

/** Milliseconds between two slices of indexing: while messages wait, and while none does. */
const busyInterval = 20
const idleInterval = 300

export interface Search {
  readonly searchChats: SearchChats
  close(): Promise<void>
}

/** The search in chats. On SQLite it also keeps the index up to date, off the path of tokens. */
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
    async () => ((await indexMessages(db)) ? busyInterval : idleInterval),
    idleInterval,
    onError,
  )
  return {
    searchChats: createChatSearch(database, worker.find),
    async close() {
      await Promise.all([endIndexing(), worker.close()])
    },
  }
}
