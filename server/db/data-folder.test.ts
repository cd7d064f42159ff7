import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { programParameters } from '../testing/program-path.ts'
import { explainWriteError, requireDataFolder } from './data-folder.ts'

const isRoot = process.getuid?.() === 0
const namespace = ['--mount', ...(isRoot ? [] : ['--map-root-user'])]
const canMount = spawnSync('unshare', [...namespace, 'true']).status === 0
/** Parameters of `setpriv`. Without capabilities, root may not write to the files of other users. */
const noCapabilities = ['--bounding-set=-all', '--inh-caps=-all']
/** Parameters of `unshare`. The program runs as user 1000, and with the rights of this user outside its namespace. */
const asAnotherUser = ['--user', '--map-user=1000', '--map-group=1000']
const canDrop =
  isRoot &&
  spawnSync('setpriv', [...noCapabilities, 'true']).status === 0 &&
  spawnSync('unshare', [...asAnotherUser, 'true']).status === 0

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
      {
        cwd: '/',
        encoding: 'utf8',
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DATA_DIR: dataDir, PORT: '0' },
      },
    )
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    return stderr
  }

  it.runIf(canDrop)('stops the start with one sentence when it belongs to another user', () => {
    chownSync(dataDir, 65_534, 65_534)
    expect(start('unshare', ...asAnotherUser)).toBe(
      `Yonder cannot write to ${dataDir} as user 1000, because it belongs to user 65534. Run as root: chown -R 1000:1000 "${dataDir}"\n`,
    )
    expect(readdirSync(dataDir)).toEqual([])
  })

  it.runIf(canDrop)('stops the start when a file in it belongs to another user', () => {
    const keyFile = join(dataDir, 'secret.key')
    writeFileSync(keyFile, 'f2b5a8c1d4e7906132547698badcfe10', { mode: 0o600 })
    chownSync(keyFile, 65_534, 65_534)
    expect(start('setpriv', ...noCapabilities)).toContain(
      `cannot write to ${keyFile} as user 0, because it belongs to user 65534. Start as user 65534.`,
    )
    expect(readdirSync(dataDir)).toEqual(['secret.key'])
  })

  it.runIf(canMount)('stops the start with one sentence when it is read-only', () => {
    const mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    expect(start('unshare', ...namespace, 'sh', '-c', mount, dataDir)).toBe(
      `Yonder cannot write to ${dataDir}, because it is mounted read-only. Mount it writable, or set DATA_DIR to another folder.\n`,
    )
    expect(readdirSync(dataDir)).toEqual([])
  })

  it('names no users on Windows, where they have no ids', () => {
    const error = Object.assign(new Error('operation not permitted'), { code: 'EPERM' })
    expect(explainWriteError(error, dataDir, dataDir, [undefined, undefined])).toBe(
      ' (EPERM). Make it writable for the user that runs Yonder, or choose another data folder with --data or DATA_DIR.',
    )
  })

  it.each([
    ['file', 'EEXIST'],
    ['file/data', 'ENOTDIR'],
    ['circle/data', 'ELOOP'],
    ['n'.repeat(256), 'ENAMETOOLONG'],
  ])('is refused when a part of its path is a file, a circle of links or too long: %.12s', (name, code) => {
    writeFileSync(join(dataDir, 'file'), '')
    symlinkSync('circle', join(dataDir, 'circle'))
    const path = join(dataDir, name)
    expect(() => requireDataFolder(path)).toThrow(
      `Yonder cannot write to ${path}, because its path is not possible here (${code}). Choose another data folder with --data or DATA_DIR.`,
    )
    expect(readdirSync(dataDir).sort()).toEqual(['circle', 'file'])
  })
})

describe('a data folder that others have access to', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'yonder-open-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))
  const modeOf = (path: string) => statSync(path).mode & 0o777

  it('is closed to them, with its files, and a sentence says so for each', () => {
    const key = join(dataDir, 'secret.key')
    writeFileSync(key, 'key')
    chmodSync(key, 0o644)
    chmodSync(dataDir, 0o777)
    const warnings = requireDataFolder(dataDir)
    expect(warnings).toEqual([
      `Other users of this machine had access to ${dataDir}. Now only its owner has.`,
      expect.stringMatching(
        /secret\.key\. Now only its owner has\. If others use this machine, change the key/,
      ),
    ])
    expect([modeOf(dataDir), modeOf(key)]).toEqual([0o700, 0o600])
    expect(requireDataFolder(dataDir)).toEqual([])
  })

  it('keeps its mode when it has other files, and a sentence says when others can change it', () => {
    writeFileSync(join(dataDir, 'photo.jpg'), '')
    chmodSync(dataDir, 0o755)
    expect(requireDataFolder(dataDir)).toEqual([])
    chmodSync(dataDir, 0o777)
    expect(requireDataFolder(dataDir)).toEqual([
      `Other users of this machine have access to ${dataDir}. Run: chmod 700 "${dataDir}"`,
    ])
    expect(modeOf(dataDir)).toBe(0o777)
  })
})
