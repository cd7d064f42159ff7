import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AppError } from '../lib/app-error.ts'
import { lockDataFolder } from './lock-data-folder.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yonder lock ä-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

it('gives the data folder to one server at a time, and names the process that has it', async () => {
  const dataDir = join(folder, 'new')
  const lock = await lockDataFolder(dataDir)
  await expect(lockDataFolder(dataDir)).rejects.toThrow(
    new AppError(
      'conflict',
      `The data folder ${dataDir} is in use by another server or command (process ${process.pid}). Stop it first, or set another DATA_DIR.`,
    ),
  )
  lock.release()
  const next = await lockDataFolder(dataDir)
  next.release()
  expect(readdirSync(dataDir)).toEqual(['server.lock'])
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  expect(statSync(join(dataDir, 'server.lock')).mode & 0o777).toBe(0o600)
})
