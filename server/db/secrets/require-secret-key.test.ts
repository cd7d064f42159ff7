import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runScript } from '../../testing/run-script.ts'
import { requireSecretKey } from './require-secret-key.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yonder-key-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

it('makes a key of 256 bits at first, and gives the same one ever after', () => {
  const key = requireSecretKey(null, folder)
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  expect(requireSecretKey(null, folder)).toBe(key)
})

it('keeps the key readable by its owner alone, and leaves nothing else behind', () => {
  requireSecretKey(null, folder)
  expect(readdirSync(folder)).toEqual(['secret.key'])
  expect(statSync(join(folder, 'secret.key')).mode & 0o777).toBe(0o600)
})

it('makes another key for another installation', () => {
  const other = mkdtempSync(join(tmpdir(), 'yonder-key-'))
  expect(requireSecretKey(null, other)).not.toBe(requireSecretKey(null, folder))
  rmSync(other, { recursive: true })
})

it('takes the setting when there is one, and then writes nothing', () => {
  expect(requireSecretKey('a key from the environment, 32 long', folder)).toBe(
    'a key from the environment, 32 long',
  )
  expect(readdirSync(folder)).toEqual([])
})

it('refuses an empty key file rather than losing what the former key sealed', () => {
  writeFileSync(join(folder, 'secret.key'), '\n')
  expect(() => requireSecretKey(null, folder)).toThrow(/Restore it from a backup/)
  expect(readFileSync(join(folder, 'secret.key'), 'utf8')).toBe('\n')
})

it('gives processes that start at once the same key', async () => {
  const code = `
    import { requireSecretKey } from ${JSON.stringify(new URL('./require-secret-key.ts', import.meta.url).href)}
    process.stdout.write(requireSecretKey(null, ${JSON.stringify(folder)}))`
  const keys = await Promise.all([1, 2, 3].map(() => runScript(code)))
  expect(new Set(keys.map(({ output }) => output)).size).toBe(1)
  expect(keys[0]).toEqual({ status: 0, output: readFileSync(join(folder, 'secret.key'), 'utf8') })
  expect(readdirSync(folder)).toEqual(['secret.key'])
})
