import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeNewFile } from './write-new-file.ts'

let path: string
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'yonder-file-')), 'new.json')
})
afterEach(() => rmSync(join(path, '..'), { recursive: true, force: true }))

it('writes all parts and returns the bytes', async () => {
  async function* parts() {
    yield Buffer.from('ü')
    yield Buffer.alloc(1_000_000, 'x')
  }
  expect(await writeNewFile(path, parts())).toBe(1_000_002)
  expect(readFileSync(path, 'utf8')).toHaveLength(1_000_001)
})

it.each([
  ['the data cannot be read', new Error('The database was closed.'), 'The database was closed.'],
  [
    'the disk is full',
    Object.assign(new Error('write failed'), { code: 'ENOSPC', syscall: 'write' }),
    'the disk is full',
  ],
])('removes the file when %s', async (_name, error, message) => {
  async function* parts() {
    yield Buffer.from('begin')
    throw error
  }
  await expect(writeNewFile(path, parts())).rejects.toThrow(message)
  expect(existsSync(path)).toBe(false)
})
