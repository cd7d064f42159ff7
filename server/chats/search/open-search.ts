import { Worker } from 'node:worker_threads'
import type { ChatList } from '@yonder/contract/chat'
import type { Database } from '../../db/database.ts'
import type { User } from '../../identity/user.ts'
import { repeatUntilStopped } from '../../lib/repeat-until-stopped.ts'
import { workerSource } from '../../lib/worker-source.ts'
import { countChats, listChatIds } from '../chat-store.ts'
import type { ChatFinder, FoundChats } from './chat-finder.ts'
import { findInPostgres } from './find-in-postgres.ts'
import { indexMessages, removeFromIndex } from './index-messages.ts'
import { fillSearchTexts } from './search-text-store.ts'
import type { WorkerRequest, WorkerResponse } from './search-worker.ts'
import { summarizeChats } from './summarize-chats.ts'
import { splitWords } from './words.ts'

/** The total of a list of all chats is exact up to this count. */
const maxListTotal = 1_000
/** Milliseconds between two slices of indexing: while messages are queued, and while none are. */
const busyIntervalMs = 20
const idleIntervalMs = 300

export interface Search {
  readonly searchChats: SearchChats
  /** Removes the messages of a user from the index. Call it before the chats are deleted. */
  removeUser(userId: string): Promise<void>
  close(): Promise<void>
}

/** Opens the search in chats, and starts the indexing in short slices that do not delay the streams. */
export function openSearch(database: Database, onError: (error: unknown) => void): Search {
  const { db, file } = database
  if (file === null) {
    const endFilling = repeatUntilStopped(
      async () => ((await fillSearchTexts(db)) ? busyIntervalMs : idleIntervalMs),
      idleIntervalMs,
      onError,
    )
    return {
      searchChats: createChatSearch(database, (request) => findInPostgres(db, request)),
      // PostgreSQL deletes texts with their messages.
      removeUser: () => Promise.resolve(),
      close: endFilling,
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
    removeUser: (userId) => removeFromIndex(db, userId),
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

/** Creates the query for a user's chats, newest first: all of them, or with a search those with every word. */
export function createChatSearch({ db }: Database, findChats: ChatFinder): SearchChats {
  return async (user, { search, page, limit }) => {
    const words = splitWords(search)
    const offset = (page - 1) * limit
    const found =
      words.length === 0
        ? {
            ids: await listChatIds(db, user, { offset, limit }),
            total: await countChats(db, user, maxListTotal),
          }
        : await findChats({ userId: user.id, words, offset, limit })
    return { chats: await summarizeChats(db, user, found.ids), total: found.total, page, limit }
  }
}

interface PendingSearch {
  resolve(found: FoundChats): void
  reject(error: Error): void
}

/** A thread that searches, and the searches that it has not finished. */
interface SearchThread {
  readonly worker: Worker
  readonly pending: Map<number, PendingSearch>
}

/** Searches in a worker thread. The first search starts it, and the first search after a failure restarts it. */
function openWorkerSearch(file: string): { readonly find: ChatFinder; close(): Promise<void> } {
  let current: SearchThread | undefined
  let nextId = 0

  function start(): SearchThread {
    const worker = new Worker(...workerSource(import.meta.url, 'search-worker', { workerData: { file } }))
    const thread: SearchThread = { worker, pending: new Map() }
    const fail = (error: Error): void => {
      if (current === thread) current = undefined
      for (const { reject } of thread.pending.values()) reject(error)
      thread.pending.clear()
    }
    worker.on('message', (response: WorkerResponse) => {
      const search = thread.pending.get(response.id)
      thread.pending.delete(response.id)
      if ('found' in response) search?.resolve(response.found)
      // The caller recognises problems of the database by the code.
      else search?.reject(Object.assign(new Error(response.error), { code: response.code }))
    })
    worker.on('error', fail)
    worker.on('exit', () => fail(new Error('the search worker exited')))
    worker.unref()
    return thread
  }

  return {
    find: (request) =>
      new Promise((resolve, reject) => {
        current ??= start()
        const message: WorkerRequest = { id: nextId++, request }
        current.pending.set(message.id, { resolve, reject })
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        current.worker.postMessage(message)
      }),
    async close() {
      await current?.worker.terminate()
    },
  }
}
