import type { Readable } from 'node:stream'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { AppError } from '../../lib/app-error.ts'

/** Files in one archive. An export has one for each picture. */
const maxEntries = 200_000

/** A ZIP file on the local disk. Its entries are only read as streams, and never written under their names. */
export interface Archive {
  readonly entries: ReadonlyMap<string, Entry>
  readonly read: (entry: Entry) => Promise<Readable>
  readonly close: () => void
}

/**
 * Reads the directory of a ZIP file.
 * @throws AppError `invalid_request` that names the file and the problem
 */
export async function openArchive(name: string, path: string): Promise<Archive> {
  let zip: ZipFile | undefined
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false })
    const opened = zip
    const entries = await listEntries(name, opened)
    return {
      entries,
      read: async (entry) => opened.openReadStreamPromise(entry),
      close: () => opened.close(),
    }
  } catch (error) {
    zip?.close()
    throw error instanceof AppError ? error : toAppError(name, error)
  }
}

async function listEntries(name: string, zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > maxEntries) {
    throw new AppError(
      'invalid_request',
      `${name} has more than ${maxEntries.toLocaleString('en')} files, which no export has. Check that it is the right file.`,
    )
  }
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    if (isIgnored(entry.fileName)) continue
    if (entry.isEncrypted()) {
      throw new AppError(
        'invalid_request',
        `${name} is protected by a password. Unpack it, and import the files that it contains.`,
      )
    }
    if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry)
  }
  return entries
}

/** A folder, or what macOS adds to the archives that it makes. */
function isIgnored(path: string): boolean {
  return path.endsWith('/') || path.startsWith('__MACOSX/') || /(?:^|\/)\._/.test(path)
}

function toAppError(name: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : ''
  const hasBadPath = /^(?:absolute path|invalid relative path|invalid characters in fileName)/.test(reason)
  return new AppError(
    'invalid_request',
    hasBadPath
      ? `${name} has a file whose path leads out of the archive, as in an attack. It was not opened.`
      : `${name} is damaged or incomplete. Download the export again.`,
    { cause },
  )
}
