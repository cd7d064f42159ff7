import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../lib/describe-error.ts'
import { SqliteFile } from './dialects/sqlite-file.ts'

const fileName = 'server.lock'

/** Another process uses the data folder. */
export class DataFolderInUseError extends Error {
  override readonly name = 'DataFolderInUseError'
}

export interface DataFolderLock {
  release(): void
}

/**
 * Makes this process the only server on the SQLite database of the folder, which is created when it is missing. The lock is
 * an open transaction on an empty SQLite file, so it ends with the process, however that ends (§31.10).
 * @throws DataFolderInUseError when another process has the lock. Then nothing is written.
 */
export function lockDataFolder(dataDir: string): DataFolderLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, fileName)
  closeSync(openSync(path, 'a', 0o600))
  const file = new SqliteFile(path, { timeout: 0 })
  try {
    // Other processes read the id of this one while the second transaction is open.
    file.exec(`begin immediate; pragma user_version = ${process.pid}; commit; begin immediate`)
  } catch (error) {
    const pid = errorCode(error) === 'SQLITE_BUSY' ? readPid(file) : undefined
    file.close()
    if (pid === undefined) throw error
    throw new DataFolderInUseError(
      `The data folder ${dataDir} is in use by another server or command${pid}. Stop it first, or set another DATA_DIR.`,
      { cause: error },
    )
  }
  return { release: () => void file.close() }
}

/** Returns an empty text when it cannot be read now. */
function readPid(file: InstanceType<typeof SqliteFile>): string {
  try {
    return ` (process ${Number(file.pragma('user_version', { simple: true }))})`
  } catch {
    return ''
  }
}
