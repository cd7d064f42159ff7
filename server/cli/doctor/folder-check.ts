import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { needsDataFolder } from '../../config/container-warnings.ts'
import { sqliteFileName } from '../../db/open-database.ts'
import { errorCode } from '../../lib/describe-error.ts'
import { messageOf, reportUnchecked, type Check, type CheckContext, type Report } from './finding.ts'

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
  run(context, report) {
    const { config } = context
    if (!isNeededAnyway(context) && reportUnchecked(context, ['DATABASE_URL', 'SECRET_KEY', 'TLS'], report))
      return undefined
    if (!needsDataFolder(config))
      return 'None is needed, because the database and the key are stored elsewhere.'
    const { dataDir } = config
    const folder = statSync(dataDir, { throwIfNoEntry: false })
    if (folder === undefined) reportMissing(dataDir, report)
    else if (!folder.isDirectory())
      report.problem(`${dataDir} is not a folder. Remove the file, or set DATA_DIR to a folder.`)
    else {
      const file = join(dataDir, sqliteFileName)
      reportForeignOwner(dataDir, folder.uid, report)
      // In group 0 is only root, and whatever user a cluster runs a container as.
      const mode = folder.gid === 0 ? folder.mode & ~0o070 : folder.mode
      reportForeignAccess(dataDir, mode, '700', report)
      reportForeignAccess(file, statSync(file, { throwIfNoEntry: false })?.mode ?? 0, '600', report)
      reportWriteProblem(dataDir, report)
      reportLowSpace(dataDir, report)
    }
    return `${dataDir} can be written${hasModes ? ', and only its owner can read it' : ''}.`
  },
}

/** Whether the folder is needed even when the wrong settings, which count as unset, are corrected. */
function isNeededAnyway({ config, problems }: CheckContext): boolean {
  const isWrong = (setting: string) => problems.some(({ name }) => name === setting)
  return needsDataFolder({
    ...config,
    databaseUrl: isWrong('DATABASE_URL') ? 'elsewhere' : config.databaseUrl,
    secretKey: isWrong('SECRET_KEY') ? 'elsewhere' : config.secretKey,
  })
}

function reportMissing(dataDir: string, report: Report): void {
  let parent = dirname(dataDir)
  // On Windows, the root of a drive may be missing.
  while (!existsSync(parent) && parent !== dirname(parent)) parent = dirname(parent)
  if (reportWriteProblem(parent, report)) return
  report.warning(
    `${dataDir} does not exist. The first start creates it; if there should be data already, check DATA_DIR and the working folder.`,
  )
}

function reportForeignOwner(path: string, owner: number, report: Report): void {
  const own = process.getuid?.()
  if (own === undefined || own === owner) return
  report.warning(
    `${path} belongs to user ${owner}, and this command runs as user ${own}. Run it as the user of the server, or change the owner.`,
  )
}

/** Windows has no modes that say who can read a file. */
const hasModes = process.platform !== 'win32'

/** Warns when the mode of a file or folder gives other users any access. */
export function reportForeignAccess(
  path: string,
  mode: number,
  allowed: '600' | '700',
  report: Report,
): void {
  if (!hasModes || (mode & 0o077) === 0) return
  report.warning(`Other users of this machine have access to ${path}. Run: chmod ${allowed} "${path}"`)
}

function reportWriteProblem(path: string, report: Report): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return false
  } catch (error) {
    report.problem(
      errorCode(error) === 'EROFS'
        ? `${path} is on a read-only file system. Mount it writable, or set DATA_DIR to another folder.`
        : `${path} cannot be written by this user (${messageOf(error)}). Change its owner or mode.`,
    )
    return true
  }
}

function reportLowSpace(path: string, report: Report): void {
  const { bavail, bsize } = statfsSync(path)
  const free = bavail * bsize
  const message = `The disk of ${path} has ${Math.floor(free / megabyte)} MB left. Free some space.`
  if (free < minFreeBytes) report.problem(message)
  else if (free < lowFreeBytes) report.warning(message)
}
