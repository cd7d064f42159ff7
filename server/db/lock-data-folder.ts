import { join } from 'node:path'
import type BetterSqlite from 'better-sqlite3'
import { AppError } from '../lib/app-error.ts'
import { errorCode } from '../lib/describe-error.ts'
import { createDataFolder, createPrivateFile } from './data-folder.ts'

const fileName = 'server.lock'

/**
 * Makes this process the only server, restore or move on the SQLite database of the folder. A missing folder is
 * created. The lock is an open transaction on an empty SQLite file, so it ends with the process, however that ends.
 * @throws AppError when another process has the lock
 */
export async function lockDataFolder(dataDir: string) {
  // Loaded on demand, because with Node older than 22.14 the first use installs the driver.
  const { SqliteFile } = await import('./dialects/sqlite-file.ts')
  createDataFolder(dataDir)
  const path = createPrivateFile(join(dataDir, fileName))
  const file = new SqliteFile(path, { timeout: 0 })
  try {
    // Other processes read the id of this one while the second transaction is open.
    file.exec(`begin immediate; pragma user_version = ${process.pid}; commit; begin immediate`)
  } catch (error) {
    const isLocked = errorCode(error) === 'SQLITE_BUSY'
    const holder = isLocked ? describeHolder(file) : ''
    file.close()
    if (!isLocked) throw error
    throw new AppError(
      'conflict',
      `The data folder ${dataDir} is in use by another server or command${holder}. Stop it first, or set another DATA_DIR.`,
      { cause: error },
    )
  }
  return { release: () => void file.close() }
}

/** Names the process that has the lock. Returns an empty text when its id cannot be read now. */
function describeHolder(file: BetterSqlite.Database): string {
  try {
    return ` (process ${Number(file.pragma('user_version', { simple: true }))})`
  } catch {
    return ''
  }
}
