import type { Message } from '@yonder/contract/message'
import { ImportSource } from '@yonder/contract/transfer'
import { readChatAt, type RunReader } from '../chats/present-chat.ts'
import { findActiveRun } from '../completions/log/run-store.ts'
import { foldLog } from '../completions/maintenance/end-run.ts'
import type { Database, Db } from '../db/database.ts'
import { readSnapshot, type Snapshot } from '../db/read-snapshot.ts'
import type { ChatRow } from '../db/tables/tables.ts'
import { listChatFiles } from '../files/file-store.ts'
import type { User } from '../identity/user.ts'
import { findAppError } from '../lib/app-error.ts'
import type { ExportedChat, ExportedFile } from './export-format.ts'

/** What an export reads, and how it reads what has to be of one moment. */
export interface ExportSource extends Snapshot {
  /** The first argument of `read` is its only source. */
  readMoment<Result>(read: (snapshot: Snapshot) => Promise<Result>): Promise<Result>
}

/** Everything of one moment, for a process that does nothing else meanwhile. */
export const ofOneMoment = (snapshot: Snapshot): ExportSource => ({
  ...snapshot,
  readMoment: (read) => read(snapshot),
})

/**
 * Each chat of a moment of its own, for a server: SQLite has one connection, which others wait for, and in PostgreSQL a
 * transaction of minutes keeps every row that is changed meanwhile.
 */
export const ofManyMoments = ({
  db,
  dialect,
  bytes,
}: Pick<Database, 'db' | 'dialect' | 'bytes'>): ExportSource => ({
  db,
  dialect,
  bytes,
  readMoment: (read) => readSnapshot({ db, dialect, bytes }, read),
})

/** A chat whose messages are read in pages, once. */
export interface ReadExportedChat {
  /** The id of a file is in `files` of the export too. */
  readonly facts: Omit<ExportedChat, 'messages' | 'files'>
  readonly messages: AsyncIterable<readonly Message[]>
  readonly files: readonly Pick<ExportedFile, 'id' | 'name' | 'type' | 'size'>[]
}

/** Reads the run of a chat from its log, so that it does not matter which process executes it. */
const runs: RunReader = {
  async read({ db, dialect }, chatId) {
    const run = await findActiveRun(db, dialect, chatId)
    if (run === undefined) return undefined
    const { seq, messages } = await foldLog(db, run.id)
    return { run: { message_id: run.message_id, seq }, messages }
  },
}

/**
 * Reads a chat of a user with all versions of its messages, and the text so far of a reply that is being written.
 * Undefined when `findRow` finds none. Rejects with the errors of `findRow`.
 */
export function readExportedChat(
  source: ExportSource,
  user: User,
  findRow: (db: Db) => Promise<ChatRow | undefined>,
): Promise<ReadExportedChat | undefined> {
  return source.readMoment(async (snapshot) => {
    const row = await findRow(snapshot.db)
    if (row === undefined) return undefined
    const read = await readChatAt(snapshot, row, { runs, user, pagesFrom: source.db })
    if (read === 'expired') throw new Error('a run that is read from its log cannot expire')
    const { run: _run, messages, ...facts } = read
    return {
      facts: { ...facts, created_time: new Date(row.created_at).toISOString(), ...presentSource(row) },
      messages: untilDeleted(messages),
      files: await listFiles(snapshot.db, row.id),
    }
  })
}

function presentSource({ source, source_id }: ChatRow): Pick<ExportedChat, 'source'> {
  const { data: product } = ImportSource.safeParse(source)
  return product === undefined || source_id === null ? {} : { source: { product, id: source_id } }
}

/** A chat that its user deletes for good meanwhile ends with what was read of it: the rest of the export has to go on. */
async function* untilDeleted(pages: AsyncIterable<readonly Message[]>): AsyncGenerator<readonly Message[]> {
  try {
    yield* pages
  } catch (error) {
    if (findAppError(error)?.code !== 'not_found') throw error
  }
}

/** A file may be in several messages, which name it by its id. */
async function listFiles(db: Db, chatId: string) {
  const linked = await listChatFiles(db, chatId)
  return [...new Map(linked.map(({ message_id: _, ...file }) => [file.id, file])).values()]
}
