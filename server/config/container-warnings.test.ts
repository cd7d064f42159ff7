import { describe, expect, it } from 'vitest'
import { findDataWarnings, needsDataFolder, type DataConfig } from './container-warnings.ts'

const key = 'f2b5a8c1d4e7906132547698badcfe10'
const sqlite: DataConfig = { dataDir: '/data', databaseUrl: null, secretKey: key, tls: null }
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
  it('is said to be lost when there is no volume, one in memory, or one without a name', () => {
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

  it('is not warned about on a volume, or outside of a container', () => {
    expect(warnings(volume('/var/lib/docker/volumes/yonder/_data'))).toEqual([])
    expect(warnings(volume('/srv/yonder'))).toEqual([])
    const below = { config: { ...sqlite, dataDir: '/my data/yonder' } }
    expect(warnings(volume('/', 'ext4', '/my\\040data'), below)).toEqual([])
    expect(warnings(mountsWith(), { isContainer: false, userId: 0 })).toEqual([])
  })

  it('needs no folder with PostgreSQL and SECRET_KEY, unless Yonder makes a certificate', () => {
    expect(warnings(mountsWith(), { config: postgres, userId: 0 })).toEqual([])
    expect(needsDataFolder(postgres)).toBe(false)
    for (const config of [
      { ...postgres, secretKey: null },
      { ...postgres, tls: { kind: 'local' } as const },
    ]) {
      expect(needsDataFolder(config)).toBe(true)
      expect(warnings(mountsWith(), { config })).toHaveLength(1)
    }
  })

  it('belongs to root when the container runs as root, and the log says how to change that', () => {
    expect(warnings(volume('/srv/yonder'), { userId: 0 })).toEqual([
      expect.stringMatching(/^Yonder runs as root, .* chown -R 1000:1000 \/data$/),
    ])
  })
})
