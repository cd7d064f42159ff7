import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { programParameters } from '../testing/program-path.ts'
import { ConfigError } from './config.ts'
import { findDataWarnings, prepareDataFolder } from './prepare-data-folder.ts'
import type { DataConfig } from './prepare-data-folder.ts'

const isRoot = process.getuid?.() === 0
const namespace = ['--mount', ...(isRoot ? [] : ['--map-root-user'])]
const canMount = spawnSync('unshare', [...namespace, 'true']).status === 0
/** Without them root may not write to the files of others. */
const noCapabilities = ['--bounding-set=-all', '--inh-caps=-all']
/** As a user who is not root in there, and has the rights of this one outside. */
const asAnotherUser = ['--user', '--map-user=1000', '--map-group=1000']
const canDrop =
  isRoot &&
  spawnSync('setpriv', [...noCapabilities, 'true']).status === 0 &&
  spawnSync('unshare', [...asAnotherUser, 'true']).status === 0

const key = 'f2b5a8c1d4e7906132547698badcfe10'
const sqlite: DataConfig = { dataDir: '/data', databaseUrl: null, secretKey: key }
const postgres: DataConfig = { ...sqlite, databaseUrl: 'postgres://yonder@db/yonder' }

/** The mounts of a container as the kernel lists them, with one more line. */
const mountsWith = (line = '') =>
  `2044 1799 0:337 / / rw,relatime - overlay overlay rw,lowerdir=/l,upperdir=/u
2045 2044 0:340 / /proc rw,nosuid - proc proc rw
2046 2044 0:341 / /dev rw,nosuid - tmpfs tmpfs rw,size=65536k
${line}`
const volume = (root: string, type = 'ext4', point = '/data') =>
  mountsWith(`2050 2044 254:1 ${root} ${point} rw,relatime - ${type} /dev/vda1 rw`)
const warnings = (mounts: string, { config = sqlite, isContainer = true, userId = 1000 } = {}) =>
  findDataWarnings(config, { isContainer, userId, mounts })

describe('data in a container', () => {
  it('is said to be lost when there is no volume, one in memory, or one without a name (§33.2)', () => {
    expect(warnings(mountsWith())).toEqual([
      'The data in /data is lost with this container. Start it with a volume, such as --volume yonder:/data',
    ])
    expect(warnings(volume('/', 'tmpfs'))).toEqual([expect.stringContaining('is in memory')])
    expect(warnings(volume(`/var/lib/docker/volumes/${'0af9'.repeat(16)}/_data`))).toEqual([
      expect.stringContaining('has no name, so the next container starts without this data'),
    ])
    // A volume at another folder.
    expect(warnings(volume('/srv/yonder', 'ext4', '/data2'))).toHaveLength(1)
  })

  it('is not warned about on a volume, or outside of a container (§33.2)', () => {
    expect(warnings(volume('/var/lib/docker/volumes/yonder/_data'))).toEqual([])
    expect(warnings(volume('/srv/yonder'))).toEqual([])
    const below = { config: { ...sqlite, dataDir: '/my data/yonder' } }
    expect(warnings(volume('/', 'ext4', '/my\\040data'), below)).toEqual([])
    expect(warnings(mountsWith(), { isContainer: false, userId: 0 })).toEqual([])
  })

  it('needs a folder with PostgreSQL alone, but not with PostgreSQL and SECRET_KEY (§33.6)', () => {
    expect(warnings(mountsWith(), { config: postgres, userId: 0 })).toEqual([])
    prepareDataFolder({ ...postgres, dataDir: '/dev/null/data' })
    expect(
      findDataWarnings(
        { ...postgres, secretKey: null },
        { isContainer: true, userId: 1000, mounts: mountsWith() },
      ),
    ).toHaveLength(1)
    expect(() => prepareDataFolder({ ...postgres, secretKey: null, dataDir: '/dev/null/data' })).toThrow(
      ConfigError,
    )
  })

  it('belongs to root when the container runs as root, and the log says how to change that (§33.3)', () => {
    expect(warnings(volume('/srv/yonder'), { userId: 0 })).toEqual([
      expect.stringMatching(/^Yonder runs as root, .* chown -R 1000:1000 \/data$/),
    ])
  })
})

describe('a data folder that cannot be written', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'yonder data '))
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))

  /** Starts the server with another program, and returns what it prints. It must not start. */
  function start(...parameters: readonly string[]) {
    const { status, stdout, stderr } = spawnSync(
      'env',
      [...parameters, process.execPath, ...programParameters('main.ts')],
      { cwd: '/', encoding: 'utf8', env: { PATH: process.env['PATH'], DATA_DIR: dataDir, PORT: '0' } },
    )
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    return stderr
  }

  it.runIf(canDrop)('stops the start with one sentence when it belongs to another user (§33.5)', () => {
    chownSync(dataDir, 65_534, 65_534)
    expect(start('unshare', ...asAnotherUser)).toBe(
      `Yonder cannot write to ${dataDir} as user 1000, because it belongs to user 65534. Run as root: chown -R 1000:1000 "${dataDir}"\n`,
    )
    expect(readdirSync(dataDir)).toEqual([])
  })

  it.runIf(canDrop)('stops the start when a file in it belongs to another user (§33.5)', () => {
    const keyFile = join(dataDir, 'secret.key')
    writeFileSync(keyFile, key, { mode: 0o600 })
    chownSync(keyFile, 65_534, 65_534)
    expect(start('setpriv', ...noCapabilities)).toContain(
      `cannot write to ${keyFile} as user 0, because it belongs to user 65534. Start as user 65534.`,
    )
    expect(readdirSync(dataDir)).toEqual(['secret.key'])
  })

  it.runIf(canMount)('stops the start with one sentence when it is read-only (§33.4)', () => {
    const mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    expect(start('unshare', ...namespace, 'sh', '-c', mount, dataDir)).toBe(
      `Yonder cannot write to ${dataDir}, because it is mounted read-only. Mount it writable, or set DATA_DIR to another folder.\n`,
    )
    expect(readdirSync(dataDir)).toEqual([])
  })
})
