import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { needsDataFolder } from '../../config/container-warnings.ts'
import { sqliteFileName } from '../../db/open-database.ts'
import { errorCode } from '../../lib/describe-error.ts'
import {
  reportUnchecked,
  messageOf,
  ok,
  problem,
  warning,
  type Check,
  type CheckContext,
  type Report,
} from './finding.ts'

const megabyte = 1_000_000
/** Less free space than this is a problem, because the next replies may fail. */
const minFreeBytes = 100 * megabyte
/** Less free space than this is a warning. */
const lowFreeBytes = 1_000 * megabyte

/**
 * The data folder, if it is used: whether it exists, who owns it and can read it, whether it can be written, and the
 * space on its disk.
 */
export const folderCheck: Check = {
  name: 'data folder',
  run(context) {
    const { config } = context
    const unchecked = reportUnchecked(context, ['DATABASE_URL', 'SECRET_KEY', 'TLS'])
    if (unchecked.length > 0 && !isNeededAnyway(context)) return unchecked
    if (!needsDataFolder(config))
      return [ok('None is needed, because the database and the key are stored elsewhere.')]
    const { dataDir } = config
    const folder = statSync(dataDir, { throwIfNoEntry: false })
    if (folder === undefined) return [describeMissing(dataDir)]
    if (!folder.isDirectory()) {
      return [problem(`${dataDir} is not a folder. Remove the file, or set DATA_DIR to a folder.`)]
    }
    const findings = [
      ...findForeignOwner(dataDir, folder.uid),
      ...findForeignAccess(dataDir, folder.mode, '700'),
      ...findForeignAccess(join(dataDir, sqliteFileName), modeOf(join(dataDir, sqliteFileName)), '600'),
      ...findWriteProblem(dataDir),
      ...findLowSpace(dataDir),
    ]
    if (findings.length > 0) return findings
    return [ok(`${dataDir} can be written${hasModes ? ', and only its owner can read it' : ''}.`)]
  },
}

/** Whether the folder is needed even when the wrong settings, which count as unset, are corrected. */
function isNeededAnyway(context: CheckContext): boolean {
  const { config } = context
  const isWrong = (name: string) => reportUnchecked(context, [name]).length > 0
  return needsDataFolder({
    ...config,
    databaseUrl: isWrong('DATABASE_URL') ? 'elsewhere' : config.databaseUrl,
    secretKey: isWrong('SECRET_KEY') ? 'elsewhere' : config.secretKey,
  })
}

function describeMissing(dataDir: string): Report {
  let parent = dirname(dataDir)
  // On Windows, the root of a drive may be missing.
  while (!existsSync(parent) && parent !== dirname(parent)) parent = dirname(parent)
  return (
    findWriteProblem(parent)[0] ??
    warning(
      `${dataDir} does not exist. The first start creates it; if there should be data already, check DATA_DIR and the working folder.`,
    )
  )
}

function findForeignOwner(path: string, owner: number): Report[] {
  const own = process.getuid?.()
  if (own === undefined || own === owner) return []
  return [
    warning(
      `${path} belongs to user ${owner}, and this command runs as user ${own}. Run it as the user of the server, or change the owner.`,
    ),
  ]
}

function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0
}

/** Windows has no modes that say who can read a file. */
const hasModes = process.platform !== 'win32'

/** Warns when the mode of a file or folder gives other users any access. Returns nothing on Windows. */
export function findForeignAccess(path: string, mode: number, allowed: '600' | '700'): Report[] {
  if (!hasModes || (mode & 0o077) === 0) return []
  return [warning(`Other users of this machine have access to ${path}. Run: chmod ${allowed} "${path}"`)]
}

function findWriteProblem(path: string): Report[] {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return []
  } catch (error) {
    return [
      problem(
        errorCode(error) === 'EROFS'
          ? `${path} is on a read-only file system. Mount it writable, or set DATA_DIR to another folder.`
          : `${path} cannot be written by this user (${messageOf(error)}). Change its owner or mode.`,
      ),
    ]
  }
}

function findLowSpace(path: string): Report[] {
  const { bavail, bsize } = statfsSync(path)
  const free = bavail * bsize
  if (free >= lowFreeBytes) return []
  const message = `The disk of ${path} has ${Math.floor(free / megabyte)} MB left. Free some space.`
  return [free < minFreeBytes ? problem(message) : warning(message)]
}
