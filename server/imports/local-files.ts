import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Database } from '../db/database.ts'
import { FolderBytes } from '../db/files/folder-bytes.ts'
import { AppError } from '../lib/app-error.ts'
import type { TransferFile } from '../transfers/transfer-store.ts'

/** The files of an import on the local disk, where libraries can read them in any order. */
export interface LocalFiles {
  readonly files: readonly { readonly name: string; readonly path: string }[]
  /** Removes what was copied. */
  close(): Promise<void>
}

const folderPrefix = 'yonder-import-'
const dayMs = 86_400_000

/**
 * Finds the uploaded files of an import in the folder of the bytes, or copies them out of the database.
 * @throws AppError `not_found` when they were deleted
 */
export async function openLocalFiles(
  { bytes }: Pick<Database, 'bytes'>,
  uploaded: readonly TransferFile[],
  signal: AbortSignal,
): Promise<LocalFiles> {
  if (bytes instanceof FolderBytes) {
    const files = uploaded.map(({ id, name }) => ({ name, path: bytes.pathOf(id ?? '') }))
    await requireSizes(uploaded, files)
    return { files, close: () => Promise.resolve() }
  }
  await removeLeftovers()
  const folder = await mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-`))
  const close = () => rm(folder, { recursive: true, force: true })
  const files = uploaded.map(({ name }, number) => ({ name, path: join(folder, String(number)) }))
  try {
    for (const [number, { path }] of files.entries())
      await pipeline(bytes.read(uploaded[number]?.id ?? ''), createWriteStream(path, { mode: 0o600 }), {
        signal,
      })
    await requireSizes(uploaded, files)
    return { files, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function requireSizes(uploaded: readonly TransferFile[], files: LocalFiles['files']): Promise<void> {
  for (const [number, { path }] of files.entries()) {
    const found = await stat(path).catch(() => undefined)
    if (found?.size !== uploaded[number]?.size)
      throw new AppError('not_found', 'The files of this import are no longer here. Upload them again.')
  }
}

/** Removes the copies of processes that were killed. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue
    const path = join(tmpdir(), name)
    const found = await stat(path).catch(() => undefined)
    // Not one of another process that works on an import, which takes less than a day.
    if (found !== undefined && found.mtimeMs < Date.now() - dayMs && found.uid === process.getuid?.())
      await rm(path, { recursive: true, force: true })
  }
}
