import { SqliteFile } from '../../db/dialects/sqlite-file.ts'
import { errorCode } from '../../lib/describe-error.ts'
import { serveJobs } from '../../lib/serve-jobs.ts'
import type { FindRequest, FoundPage } from './chat-finder.ts'
import { findInSqlite } from './find-in-sqlite.ts'
import { findPassages } from './find-passages.ts'
import { createSearchReader, type SearchReader } from './sqlite-search-store.ts'

/*
 * Searches in its own thread and on its own read-only connection, because a search for a common word takes tens of
 * milliseconds and must not delay any stream.
 */

export interface SearchJob {
  readonly file: string
  readonly request: FindRequest
}

export type SearchOutcome = { readonly found: FoundPage } | { readonly error: string; readonly code: string }

let reader: SearchReader | undefined

function openReader(file: string): SearchReader {
  const database = new SqliteFile(file, { readonly: true, timeout: 5_000 })
  // Negative for kilobytes instead of pages.
  database.pragma('cache_size = -64000')
  // Bytes: the maximum that SQLite is compiled for.
  database.pragma('mmap_size = 2147418112')
  return createSearchReader(database)
}

serveJobs(({ file, request }: SearchJob): SearchOutcome => {
  try {
    reader ??= openReader(file)
    const found = findInSqlite(reader, request)
    return { found: { ...found, passages: findPassages(reader, found.ids, request.words) } }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), code: errorCode(error) }
  }
})
