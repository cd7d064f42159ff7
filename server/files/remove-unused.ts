import type { Database } from '../db/database.ts'
import { FolderBytes } from '../db/files/folder-bytes.ts'
import { moveFormerFiles } from '../db/files/move-former-files.ts'
import { repeatUntilStopped } from '../lib/repeat-until-stopped.ts'
import { areBytesKnown, deleteUnsentFiles, findUnusedBytes, forgetBytes } from './file-store.ts'

const hourMs = 3_600_000
/** An upload takes minutes. Its bytes without a row are of a killed process after this time. */
const maxUploadMs = 24 * hourMs
/** How long a file is kept that was not sent: it may be in a draft. The same as for deleted chats. */
const maxUnsentMs = 30 * 24 * hourMs
/** The time until the first pass, and between two. */
const intervalMs = 60_000

export interface RemovalDeps {
  readonly database: Database
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** Deletes what no file and no message has, now and then. Returns a function that stops it. */
export function startRemovingUnused(deps: RemovalDeps): () => Promise<void> {
  let isFolderChecked = false
  return repeatUntilStopped(
    async () => {
      // Nodes of a former version may have added some.
      await moveFormerFiles(deps.database)
      await removeUnused(deps)
      if (!isFolderChecked) await removeUnknown(deps.database)
      isFolderChecked = true
    },
    intervalMs,
    deps.onError,
  )
}

/** Deletes files that were not sent for long, and the bytes of deleted files and of uploads that were killed. */
export async function removeUnused({
  database: { db, dialect, bytes },
  now,
}: Pick<RemovalDeps, 'database' | 'now'>): Promise<void> {
  while (await db.transaction().execute((trx) => deleteUnsentFiles(trx, dialect, now() - maxUnsentMs)));
  for (;;) {
    const id = await findUnusedBytes(db, now() - maxUploadMs)
    if (id === undefined) return
    await bytes.delete(id)
    await forgetBytes(db, id)
  }
}

/**
 * Deletes the bytes in the folder that the database does not know, because it was replaced by a backup. Bytes that are
 * written while this runs are known before they are there.
 */
export async function removeUnknown({ db, bytes }: Pick<Database, 'db' | 'bytes'>): Promise<void> {
  if (!(bytes instanceof FolderBytes)) return
  for await (const id of bytes.list()) if (!(await areBytesKnown(db, id))) await bytes.delete(id)
}
