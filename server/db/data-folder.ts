import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../lib/app-error.ts'
import { errorCode } from '../lib/describe-error.ts'

/**
 * Creates the data folder, if it is missing, for its owner only.
 * @throws AppError when it cannot be created
 */
export function createDataFolder(path: string): void {
  attempt(path, path, () => mkdirSync(path, { recursive: true, mode: 0o700 }))
}

/**
 * Creates a missing file that only its owner can use, and returns its path. SQLite gives the files that it
 * creates beside a database the mode of the database.
 * @throws AppError when it cannot be written
 */
export function createPrivateFile(path: string): string {
  attempt(path, dirname(path), () => closeSync(openSync(path, 'a', 0o600)))
  return path
}

/** Files that an earlier start, perhaps as another user, may have created in the data folder. */
const files = ['server.lock', 'yonder.sqlite', 'yonder.sqlite-wal', 'yonder.sqlite-shm', 'secret.key']

/**
 * Creates the data folder if it is missing, and checks that this process can write to it and to its own files in it,
 * before anything is written.
 * @throws AppError when it cannot
 */
export function requireDataFolder(path: string): void {
  createDataFolder(path)
  for (const checked of [path, ...files.map((name) => join(path, name)).filter(existsSync)])
    attempt(checked, path, () => accessSync(checked, constants.R_OK | constants.W_OK))
}

function attempt(path: string, dataDir: string, work: () => void): void {
  try {
    work()
  } catch (cause) {
    throw new AppError(
      'unavailable',
      `Yonder cannot write to ${path}${explainWriteError(cause, path, dataDir)}`,
      { cause },
    )
  }
}

/** A part of the path is a file, a circle of links, or too long. */
const impossiblePath: ReadonlySet<string> = new Set(['EEXIST', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/** Continues the sentence about a path that this process cannot write to. Windows has no ids of users and groups. */
export function explainWriteError(
  error: unknown,
  path: string,
  dataDir: string,
  [user, group] = [process.getuid?.(), process.getgid?.()],
): string {
  const code = errorCode(error)
  if (code === 'EROFS')
    return ', because it is mounted read-only. Mount it writable, or set DATA_DIR to another folder.'
  if (['ENOSPC', 'EDQUOT'].includes(code))
    return `, because its disk or quota is full (${code}). Free some space, then start again.`
  if (impossiblePath.has(code))
    return `, because its path is not possible here (${code}). Choose another data folder with --data or DATA_DIR.`
  const owner = ['EACCES', 'EPERM'].includes(code) && existsSync(path) ? statSync(path).uid : undefined
  if (owner === undefined || user === undefined || owner === user)
    return ` (${code}). Make it writable for the user that runs Yonder, or choose another data folder with --data or DATA_DIR.`
  // In a container, root may not have the right to write to files of other users.
  const advice =
    user === 0 ? `Start as user ${owner}.` : `Run as root: chown -R ${user}:${group} "${dataDir}"`
  return ` as user ${user}, because it belongs to user ${owner}. ${advice}`
}
