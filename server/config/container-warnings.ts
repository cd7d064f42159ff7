import { existsSync, readFileSync } from 'node:fs'
import type { Config } from './config.ts'

export type DataConfig = Pick<Config, 'dataDir' | 'databaseUrl' | 'secretKey' | 'tls'>

/** What the process sees of its container. */
export interface ContainerFacts {
  readonly isContainer: boolean
  /** Undefined on Windows. */
  readonly userId: number | undefined
  /** The text of `/proc/self/mountinfo`; empty where there is none. */
  readonly mounts: string
}

/**
 * Returns a sentence for each way in which the data may be lost with the container, or be unusable for the next one.
 */
export function findDataWarnings(config: DataConfig, facts: ContainerFacts): string[] {
  if (!facts.isContainer || !needsDataFolder(config)) return []
  const { dataDir } = config
  const warnings = [describeVolume(dataDir, facts.mounts)]
  if (facts.userId === 0)
    warnings.push(
      `Yonder runs as root, so its files in ${dataDir} belong to root, and a later start as another user fails. Start without --user, after: chown -R 1000:1000 ${dataDir}`,
    )
  return warnings.filter((warning) => warning !== undefined)
}

/**
 * Whether anything is stored in the data folder: the SQLite file, the key unless `SECRET_KEY` is set, or a certificate
 * that Yonder makes.
 */
export function needsDataFolder({ databaseUrl, secretKey, tls }: DataConfig): boolean {
  return databaseUrl === null || secretKey === null || tls?.kind === 'local'
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
export function readContainerFacts({ isContainer }: Pick<Config, 'isContainer'>): ContainerFacts {
  const mounts = '/proc/self/mountinfo'
  return {
    isContainer,
    userId: process.getuid?.(),
    mounts: existsSync(mounts) ? readFileSync(mounts, 'utf8') : '',
  }
}
