import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { lockDataFolder } from '../db/lock-data-folder.ts'
import { openDatabase } from '../db/open-database.ts'
import { addUser } from '../testing/factories/users.ts'
import { programParameters } from '../testing/program-path.ts'

let folder: string
let dataDir: string
let file: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'yonder cli ü-'))
  dataDir = join(folder, 'Daten von heute')
  file = join(folder, 'Sicherung 😀.backup')
  const database = await openDatabase({ databaseUrl: null, dataDir })
  await addUser(database.db)
  await database.close()
})

afterEach(() => rmSync(folder, { recursive: true }))

async function run(...parameters: readonly string[]) {
  const child = spawn(process.execPath, [...programParameters('yonder.ts'), ...parameters], {
    cwd: folder,
    env: { DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ])
  return { code, output, errors }
}

it('backs up and restores, asks before it replaces a file or data, and reports as JSON', async () => {
  const created = await run('backup', 'Sicherung 😀.backup', '--json')
  expect([created.code, created.errors]).toEqual([0, ''])
  const { sha256, ...others } = JSON.parse(created.output) as { sha256: string }
  expect(others).toMatchObject({ file, withKey: false, bytes: expect.any(Number), rows: { users: 1 } })
  const content = readFileSync(file)

  const repeated = await run('backup', file)
  expect([repeated.code, repeated.output]).toEqual([2, ''])
  expect(repeated.errors).toContain(`${file} exists and will be replaced.`)
  expect(readFileSync(file)).toEqual(content)

  const asked = await run('restore', file)
  expect([asked.code, asked.output]).toEqual([2, ''])
  expect(asked.errors).toContain(`This replaces all data in ${dataDir} with the backup of 2`)
  const restored = await run('restore', file, '--yes')
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining(sha256) })
}, 120_000)

it('explains in one sentence why it does nothing, and exits with 1', async () => {
  const sentence = async (...parameters: readonly string[]) => {
    const { code, output, errors } = await run(...parameters)
    expect([code, output]).toEqual([1, ''])
    return errors
  }
  mkdirSync(join(folder, 'folder'))
  expect(await sentence('restore', join(folder, 'folder'))).toBe(
    'The file cannot be read: it is a folder, and a file is needed. Nothing was changed.\n',
  )
  expect(await sentence('backup', join(folder, 'folder'), '--yes')).toMatch(/folder/)
  expect(await sentence('backup', join(folder, 'missing', 'file'))).toMatch(/there is no such file or folder/)
  expect(await sentence('restore', join(folder, 'missing'))).toMatch(/there is no such file or folder/)
  expect(await sentence('backup', file, '--data', join(folder, 'wrong'))).toBe(
    `There is no Yonder database at ${join(folder, 'wrong', 'yonder.sqlite')}. Check DATA_DIR or --data, or start the server once, which creates it.\n`,
  )
  expect(existsSync(join(folder, 'wrong'))).toBe(false)
  expect(existsSync(file)).toBe(false)
  const lock = await lockDataFolder(dataDir)
  writeFileSync(file, '')
  expect(await sentence('restore', file, '--yes')).toBe(`${file} is not a backup of Yonder.\n`)
  await run('backup', file, '--yes')
  const before = readFileSync(join(dataDir, 'yonder.sqlite'))
  expect(await sentence('restore', file, '--yes')).toBe(
    `The data folder ${dataDir} is in use by another server or command (process ${process.pid}). Stop it first, or set another DATA_DIR.\n`,
  )
  expect(readFileSync(join(dataDir, 'yonder.sqlite'))).toEqual(before)
  lock.release()
}, 120_000)

it('leaves nothing behind when the disk is full', async (context) => {
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  // Only root may do this, and not in every container.
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200k', 'tmpfs', disk]).status === 0
  if (!mounted) return context.skip()
  try {
    const database = await openDatabase({ databaseUrl: null, dataDir })
    for (let user = 0; user < 100; user++)
      await addUser(database.db, { name: randomBytes(4_000).toString('base64') })
    await database.close()
    const backup = await run('backup', join(disk, 'backup'))
    expect(backup).toMatchObject({ code: 1, output: '', errors: expect.stringContaining('disk is full') })
    expect(readdirSync(disk)).toEqual([])
    expect((await run('backup', file)).code).toBe(0)
    const restore = await run('restore', file, '--data', join(disk, 'new'))
    expect(restore).toMatchObject({ code: 1, output: '', errors: expect.stringContaining('disk') })
    expect(readdirSync(join(disk, 'new'))).toEqual(['server.lock'])
  } finally {
    spawnSync('umount', [disk])
  }
}, 120_000)
