import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { moduleUrl } from '../../testing/program-path.ts'
import { runScript } from '../../testing/run-script.ts'
import { describeWeakKey, findSecretKey, requireSecretKey, writeSecretKey } from './require-secret-key.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yonder-key-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

it('creates a key of 256 bits once and returns the same key from then on', () => {
  const key = requireSecretKey(null, folder)
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  expect(requireSecretKey(null, folder)).toBe(key)
})

it('makes the key readable by its owner only and leaves no other file', () => {
  requireSecretKey(null, folder)
  expect(readdirSync(folder)).toEqual(['secret.key'])
  expect(statSync(join(folder, 'secret.key')).mode & 0o777).toBe(0o600)
})

it('creates a different key for another installation', () => {
  const other = mkdtempSync(join(tmpdir(), 'yonder-key-'))
  expect(requireSecretKey(null, other)).not.toBe(requireSecretKey(null, folder))
  rmSync(other, { recursive: true })
})

it('uses the setting if there is one and then writes nothing', () => {
  expect(requireSecretKey('a key from the environment, 32 long', folder)).toBe(
    'a key from the environment, 32 long',
  )
  expect(readdirSync(folder)).toEqual([])
})

it('refuses an empty key file instead of replacing the key', () => {
  writeFileSync(join(folder, 'secret.key'), '\n')
  // An `AppError`, so that the start prints the sentence without the place in the code.
  const error = expect.objectContaining({
    name: 'AppError',
    message: expect.stringContaining('Restore it from a backup') as unknown,
  }) as Error
  expect(() => requireSecretKey(null, folder)).toThrow(error)
  expect(readFileSync(join(folder, 'secret.key'), 'utf8')).toBe('\n')
})

it('returns the same key to processes that start at once', async () => {
  const code = `
    import { requireSecretKey } from ${JSON.stringify(moduleUrl('db/secrets/require-secret-key.ts'))}
    process.stdout.write(requireSecretKey(null, ${JSON.stringify(folder)}))`
  const keys = await Promise.all([1, 2, 3].map(() => runScript(code)))
  expect(new Set(keys.map(({ output }) => output)).size).toBe(1)
  expect(keys[0]).toEqual({ status: 0, output: readFileSync(join(folder, 'secret.key'), 'utf8') })
  expect(readdirSync(folder)).toEqual(['secret.key'])
})

it.each(['abc', 'a'.repeat(64), 'at-least-32-characters-the-same-on-every-node'])(
  'refuses the key %j in the file, and does not repeat it',
  (key) => {
    const path = join(folder, 'secret.key')
    writeFileSync(path, `${key}\n`)
    const read = () => requireSecretKey(null, folder)
    expect(read).toThrow(`The key in ${path} `)
    expect(read).toThrow('Create one with: openssl rand -hex 32')
    expect(read).not.toThrow(key)
  },
)

it.each([
  '  a key with blanks at both of its ends \n',
  'json:"a key that begins like a quoted one"',
  '"a key in quotes, as it was in the setting"',
])('reads the key %j as it was written, such as by a restore', (key) => {
  writeSecretKey(folder, key)
  expect(findSecretKey(null, folder)).toBe(key)
  expect(requireSecretKey(null, folder)).toBe(key)
})

it('reads a key without the blanks around it that an operator wrote', () => {
  const key = 'f3a91c0d5b7e42689ad10c4e8b6f7d2a'
  writeFileSync(join(folder, 'secret.key'), ` ${key} \r\n`)
  expect(findSecretKey(null, folder)).toBe(key)
})

it('finds a weak key, and says so', () => {
  writeFileSync(join(folder, 'secret.key'), 'abc')
  expect(findSecretKey(null, folder)).toBe('abc')
  expect(describeWeakKey(null, folder)).toContain('must have at least 32 characters')
  expect(describeWeakKey('abc', folder)).toBeUndefined()
})

it.runIf(process.getuid?.() === 0)('belongs to the owner of the folder when root writes it', () => {
  chownSync(folder, 12_345, 12_345)
  writeSecretKey(folder, 'a key that a restore writes, as root')
  const { uid, mode } = statSync(join(folder, 'secret.key'))
  expect([uid, mode & 0o777]).toEqual([12_345, 0o600])
})
