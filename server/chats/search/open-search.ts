import type { ChatList } from '@yonder/contract/chat'
import type { Database, Db } from '../../db/database.ts'
import { readSnapshot } from '../../db/read-snapshot.ts'
import type { User } from '../../identity/user.ts'
import { repeatUntilStopped } from '../../lib/repeat-until-stopped.ts'
import { WorkerThread } from '../../lib/worker-thread.ts'
import { countChats, listChatIds } from '../chat-store.ts'
import { deleteMessages } from '../message-store.ts'
import type { ChatFinder, FindRequest, FoundPage } from './chat-finder.ts'
import { findInPostgres } from './find-in-postgres.ts'
import { deleteIndexedMessage, indexMessages } from './index-messages.ts'
import { fillSearchTexts } from './postgres-search-store.ts'
import { presentPassages } from './present-passages.ts'
import type { SearchJob, SearchOutcome } from './search-worker.ts'
import { deleteUserNumber } from './sqlite-index-store.ts'
import { summarizeChats } from './summarize-chats.ts'
import { listPassageMessages } from './summary-store.ts'
import { splitWords } from './words.ts'

/** The total of a list of all chats is exact up to this count. */
const maxListTotal = 1_000
/** Milliseconds between two slices of indexing: while messages are queued, and while none are. */
const busyIntervalMs = 20
const idleIntervalMs = 300

/** Milliseconds for one search. Then its thread is replaced. */
const maxSearchMs = 60_000
const maxSearchHeapMb = 512

/** Messages that one statement deletes in PostgreSQL. */
const maxDeletedMessages = 200

export type Search = ReturnType<typeof openSearch>

/** Opens the search in chats, and starts the indexing in short slices that do not delay the streams. */
export function openSearch(database: Database, onError: (error: unknown) => void) {
  const { db, file } = database
  if (file === null) {
    const endFilling = repeatUntilStopped(
      async () => ((await fillSearchTexts(db)) ? busyIntervalMs : idleIntervalMs),
      idleIntervalMs,
      onError,
    )
    return {
      searchChats: createChatSearch(database, null),
      // PostgreSQL deletes texts with their messages.
      deleteMessages: (trx: Db, chatId: string) => deleteMessages(trx, chatId, maxDeletedMessages),
      forgetUser: (_userId: string) => Promise.resolve(),
      close: endFilling,
    }
  }
  const thread = new WorkerThread<SearchJob, SearchOutcome>({
    moduleUrl: import.meta.url,
    name: 'search-worker',
    maxJobMs: maxSearchMs,
    maxHeapMb: maxSearchHeapMb,
    isKept: true,
  })
  const endIndexing = repeatUntilStopped(
    async () => ((await indexMessages(db)) ? busyIntervalMs : idleIntervalMs),
    idleIntervalMs,
    onError,
  )
  return {
    searchChats: createChatSearch(database, async (request) => {
      const outcome = await thread.run(request.userId, { file, request })
      if ('found' in outcome) return outcome.found
      // The caller recognises problems of the database by the code.
      throw Object.assign(new Error(outcome.error), { code: outcome.code })
    }),
    /**
     * Deletes some messages of a chat that is deleted for good, also from the index, or a part of one when `isOver`
     * returns true. Returns false when the chat had none.
     */
    deleteMessages: deleteIndexedMessage,
    /** Removes the last trace of a user from the index. Call it when the user's messages are deleted. */
    forgetUser: (userId: string) => deleteUserNumber(db, userId),
    async close(): Promise<void> {
      thread.close()
      await endIndexing()
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

/**
 * Creates the query for a user's chats, newest first: all of them, or with a search those with every word. `findApart`
 * searches on a connection of its own; null on PostgreSQL.
 */
function createChatSearch(database: Database, findApart: ChatFinder | null): SearchChats {
  return async (user, { search, page, limit }) => {
    const words = splitWords(search)
    const offset = (page - 1) * limit
    const request = { userId: user.id, words, offset, limit }
    const foundApart = words.length === 0 ? undefined : await findApart?.(request)
    const { found, chats, messages } = await readSnapshot(database, async ({ db }) => {
      const found =
        foundApart ?? (await (words.length === 0 ? listAll(db, user, request) : findInPostgres(db, request)))
      const chats = await summarizeChats(db, user, found.ids)
      const positions = Array.from(found.passages.values(), ({ position }) => position)
      const ids = chats.map(({ id }) => id)
      return { found, chats, messages: await listPassageMessages(db, ids, positions) }
    })
    const passages = await presentPassages(found, messages, words)
    return {
      chats: chats.map((chat) => {
        const passage = passages.get(chat.id)
        return passage === undefined ? chat : { ...chat, passage }
      }),
      total: found.total,
      page,
      limit,
    }
  }
}

async function listAll(db: Db, user: User, { offset, limit }: FindRequest): Promise<FoundPage> {
  return {
    ids: await listChatIds(db, user, { offset, limit }),
    total: await countChats(db, user, maxListTotal),
    passages: new Map(),
  }
}
