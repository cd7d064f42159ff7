import { parentPort, workerData } from 'node:worker_threads'
import { SqliteFile } from '../../db/dialects/sqlite-file.ts'
import { errorCode } from '../../lib/describe-error.ts'
import type { FindRequest, FoundChats } from './chat-finder.ts'
import { findInSqlite } from './find-in-sqlite.ts'
import { createSearchReader } from './sqlite-search-store.ts'

/*
 * Searches in its own thread and on its own read-only connection, because a search for a common word takes tens of
 * milliseconds and must not delay any stream.
 */

export interface WorkerRequest {
  readonly id: number
  readonly request: FindRequest
}

export type WorkerResponse =
  | { readonly id: number; readonly found: FoundChats }
  | { readonly id: number; readonly error: string; readonly code: string }

const { file } = workerData as { readonly file: string }
const database = new SqliteFile(file, { readonly: true, timeout: 5_000 })
// Negative for kilobytes instead of pages.
database.pragma('cache_size = -64000')
// Bytes: the maximum that SQLite is compiled for.
database.pragma('mmap_size = 2147418112')
const reader = createSearchReader(database)

parentPort?.on('message', ({ id, request }: WorkerRequest) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(search(id, request))
})

function search(id: number, request: FindRequest): WorkerResponse {
  try {
    return { id, found: findInSqlite(reader, request) }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { id, error: text, code: errorCode(error) }
  }
}
