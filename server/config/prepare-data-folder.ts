import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../lib/describe-error.ts'
import { ConfigError } from './config.ts'
import type { Config } from './config.ts'
import type { Machine } from './machine.ts'

export type DataConfig = Pick<Config, 'dataDir' | 'databaseUrl' | 'secretKey'>

/** What the process sees of its container. */
export interface ContainerFacts {
  readonly isContainer: boolean
  /** Undefined on Windows. */
  readonly userId: number | undefined
  /** The text of `/proc/self/mountinfo`; empty where there is none. */
  readonly mounts: string
}

/** Files of the data folder that an earlier start, perhaps as another user, may have created. */
const files = ['server.lock', 'yonder.sqlite', 'yonder.sqlite-wal', 'yonder.sqlite-shm', 'secret.key']

/**
 * Creates the data folder, if the settings need one, for its owner only.
 * @throws ConfigError when this process cannot write to the folder or to one of our files in it (§33.4, §33.5)
 */
export function prepareDataFolder(config: DataConfig): void {
  if (!needsFolder(config)) return
  const { dataDir } = config
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new ConfigError(explain(error, dataDir, dataDir), { cause: error })
  }
  for (const path of [dataDir, ...files.map((name) => join(dataDir, name)).filter(existsSync)]) {
    try {
      accessSync(path, constants.R_OK | constants.W_OK)
    } catch (error) {
      throw new ConfigError(explain(error, path, dataDir), { cause: error })
    }
  }
}

/** Returns a sentence for each way in which the data may be lost with the container, or be unusable for the next one. */
export function findDataWarnings(config: DataConfig, facts: ContainerFacts): string[] {
  if (!facts.isContainer || !needsFolder(config)) return []
  const { dataDir } = config
  const warnings = [describeVolume(dataDir, facts.mounts)]
  if (facts.userId === 0)
    warnings.push(
      `Yonder runs as root, so its files in ${dataDir} belong to root, and a later start as another user fails. Start without --user, after: chown -R 1000:1000 ${dataDir}`,
    )
  return warnings.filter((warning) => warning !== undefined)
}

/** With PostgreSQL and a key in the settings nothing is stored in the folder. */
function needsFolder({ databaseUrl, secretKey }: DataConfig): boolean {
  return databaseUrl === null || secretKey === null
}

function explain(error: unknown, path: string, dataDir: string): string {
  const beginning = `Yonder cannot write to ${path}`
  switch (errorCode(error)) {
    case 'EROFS':
      return `${beginning}, because it is mounted read-only. Mount it writable, or set DATA_DIR to another folder.`
    case 'EACCES':
    case 'EPERM':
      return beginning + explainOwner(path, dataDir)
    default:
      return `${beginning} (${errorCode(error)}). Make it writable for the user that runs Yonder, or choose another data folder with --data or DATA_DIR.`
  }
}

/** Continues the sentence about a path that this user may not write to. */
function explainOwner(path: string, dataDir: string): string {
  const owner = findOwner(path)
  const [user, group] = [process.getuid?.(), process.getgid?.()]
  const reason = ` as user ${user}, because it belongs to ${owner === undefined ? 'another user' : `user ${owner}`}.`
  // In a container, root may not have the right to write to files of other users.
  if (user === 0 && owner !== undefined) return `${reason} Start as user ${owner}.`
  return `${reason} Run as root: chown -R ${user}:${group} "${dataDir}"`
}

function findOwner(path: string): number | undefined {
  try {
    return statSync(path).uid
  } catch {
    return undefined
  }
}

/** The names that Docker and Podman generate for anonymous volumes. */
const anonymousVolume = /\/volumes\/[0-9a-f]{64}\/_data$/

function describeVolume(dataDir: string, mounts: string): string | undefined {
  const mount = findMount(dataDir, mounts)
  const advice = `Start it with a volume, such as --volume yonder:${dataDir}`
  if (mount === undefined || mount.point === '/')
    return `The data in ${dataDir} is lost with this container. ${advice}`
  if (mount.type === 'tmpfs' || mount.type === 'ramfs')
    return `The data in ${dataDir} is in memory and is lost when this container stops. ${advice}`
  if (anonymousVolume.test(mount.root))
    return `The volume of ${dataDir} has no name, so the next container starts without this data. ${advice}`
  return undefined
}

interface Mount {
  readonly point: string
  /** The folder of the mounted file system that is at `point`. */
  readonly root: string
  readonly type: string
}

/** Returns the mount that holds a folder: the last one with the longest path. */
function findMount(folder: string, mounts: string): Mount | undefined {
  let found: Mount | undefined
  for (const line of mounts.split('\n')) {
    const [fields = '', more = ''] = line.split(' - ')
    const [, , , root = '', point = ''] = fields.split(' ').map(decodeSpaces)
    const [type = ''] = more.split(' ')
    const holds = point === '/' || folder === point || folder.startsWith(`${point}/`)
    if (point !== '' && holds && point.length >= (found?.point.length ?? 0)) found = { point, root, type }
  }
  return found
}

/** The kernel writes a space in a path as `\040`. */
function decodeSpaces(field: string): string {
  return field.replaceAll('\\040', ' ')
}

/** Reads what `findDataWarnings` needs to know about this process. */
export function readContainerFacts({ isContainer }: Pick<Machine, 'isContainer'>): ContainerFacts {
  const mounts = '/proc/self/mountinfo'
  return {
    isContainer,
    userId: process.getuid?.(),
    mounts: existsSync(mounts) ? readFileSync(mounts, 'utf8') : '',
  }
}
