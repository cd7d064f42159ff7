import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
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
  giveToOwner(path)
  return path
}

/** Gives a file that root has created to the owner of its folder, so that the server can use it. */
export function giveToOwner(path: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  if (statSync(path).uid !== uid) chownSync(path, uid, gid)
}

/** Makes what was created or renamed in the folder permanent. Windows cannot do this. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Files that an earlier start, perhaps as another user, may have created in the data folder. */
const files = [
  'server.lock',
  'yonder.sqlite',
  'yonder.sqlite-wal',
  'yonder.sqlite-shm',
  'secret.key',
  'files',
]

/**
 * Creates the data folder if it is missing, and checks that this process can write to it and to its own files in it,
 * before anything is written. Takes the access of other users away, and returns a sentence for each that had some.
 * @throws AppError when it cannot
 */
export function requireDataFolder(path: string): readonly string[] {
  createDataFolder(path)
  const own = files.map((name) => join(path, name)).filter(existsSync)
  for (const checked of [path, ...own])
    attempt(checked, path, () => accessSync(checked, constants.R_OK | constants.W_OK))
  return [path, ...own].flatMap(closeToOthers)
}

/** Windows has no modes that say who can read a file. */
const hasModes = process.platform !== 'win32'
const ownNames = /^(?:server\.lock|yonder\.sqlite.*|secret\.key|files|tls|lost\+found)$/

function closeToOthers(path: string): string[] {
  const { mode, uid } = statSync(path)
  const isFolder = statSync(path).isDirectory()
  if (!hasModes || (mode & 0o077) === 0) return []
  // A folder with other files may have other users.
  const isOurs =
    uid === process.getuid?.() && (!isFolder || readdirSync(path).every((name) => ownNames.test(name)))
  const allowed = isFolder ? 0o700 : 0o600
  if (isOurs && changeMode(path, allowed)) {
    const isKey = path.endsWith('secret.key')
    const advice = isKey ? ' If others use this machine, change the key: docs/operations/backup.md.' : ''
    return [`Other users of this machine had access to ${path}. Now only its owner has.${advice}`]
  }
  // What is in the folder cannot be read by others. The group may be that of a volume.
  if ((mode & (isFolder ? 0o002 : 0o007)) === 0) return []
  return [`Other users of this machine have access to ${path}. Run: chmod ${allowed.toString(8)} "${path}"`]
}

/** Returns whether the mode has changed: some mounted file systems have none. */
function changeMode(path: string, mode: number): boolean {
  try {
    chmodSync(path, mode)
  } catch {
    return false
  }
  return (statSync(path).mode & 0o077) === 0
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
