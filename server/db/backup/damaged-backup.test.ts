import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrations } from '../migrate.ts'
import {
  addToInstallation,
  BackupScene,
  createOptions,
  failIfAsked,
  hashInstallation,
  installationOf,
} from '../../testing/backup/backup-scene.ts'
import { fillTables } from '../../testing/database/fill-tables.ts'
import { engines, isConcurrent, openTestDatabase } from '../../testing/database/test-database.ts'
import type { TestDatabase } from '../../testing/database/test-database.ts'
import { readChunks, readHeader } from './backup-file.ts'
import { AppError } from '../../lib/app-error.ts'
import { createBackup } from './create-backup.ts'
import { restoreBackup } from './restore-backup.ts'
import { ContentWriter } from './rows.ts'

const scene = new BackupScene()

const compress = (...lines: readonly string[]): Buffer => gzipSync(lines.map((line) => `${line}\n`).join(''))

function headerLine(fields: Readonly<Record<string, unknown>> = {}): string {
  const header = {
    format: 1,
    version: '9.9.9',
    migrations: migrations.length,
    database: 'sqlite',
    createdAt: new Date(0).toISOString(),
    ...fields,
  }
  return JSON.stringify({ yonderBackup: header })
}

const wrongEnd = JSON.stringify({ end: { rows: {}, sha256: 'no hash' } })
/** The end of a backup without tables. */
const rightEnd = JSON.stringify({ end: new ContentWriter().finish() })

async function readAll(path: string): Promise<unknown> {
  const chunks = readChunks(path)
  for (;;) {
    const { done, value } = await chunks.next()
    if (done === true) return value
  }
}
describe.each(engines.filter(isConcurrent))('a backup of %s', (engine) => {
  let source: TestDatabase

  beforeEach(async () => {
    source = await openTestDatabase(engine)
  })

  afterEach(() => source.close())

  it('that was cut or changed anywhere is refused, and nothing is restored (§31.6)', async () => {
    await fillTables(source)
    const { sha256 } = await createBackup(installationOf(source), scene.file, createOptions)
    const whole = readFileSync(scene.file)
    const header = await readHeader(scene.file)
    const target = await scene.openTarget(engine)
    await addToInstallation(target)
    const before = await hashInstallation(target)
    const stepOf = (count: number) => Math.ceil(whole.length / count)
    for (let bytes = 0; bytes < whole.length; bytes += stepOf(40)) {
      writeFileSync(scene.file, whole.subarray(0, bytes))
      await expect(readAll(scene.file)).rejects.toThrow(AppError)
    }
    for (const bytes of [0, 100, whole.length - 1]) {
      writeFileSync(scene.file, whole.subarray(0, bytes))
      await expect(restoreBackup(target, scene.file, failIfAsked)).rejects.toThrow(AppError)
    }
    let harmless = 0
    for (let at = 0; at < whole.length; at += stepOf(60)) {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 4
      writeFileSync(scene.file, changed)
      const content = await readAll(scene.file).catch((error: unknown) => error)
      if (content instanceof Error) {
        expect(content).toBeInstanceOf(AppError)
        continue
      }
      // The byte has no effect: it is part of the time in the header of gzip, or refers to one of several equal texts.
      expect(content).toHaveProperty('sha256', sha256)
      expect(await readHeader(scene.file)).toEqual(header)
      harmless += 1
    }
    expect(harmless).toBeLessThan(5)
    expect(await hashInstallation(target)).toEqual(before)
  }, 120_000)

  it.each([
    ['a file that is not compressed', 'text', /is not a backup of Yonder/],
    ['an empty file', '', /is not a backup of Yonder/],
    ['another compressed file', gzipSync('{"a":1}\n'), /is not a backup of Yonder/],
    [
      'a backup of a newer format',
      compress(headerLine({ format: 2 }), wrongEnd),
      /newer version of Yonder\. Restore it with/,
    ],
    [
      'a backup of a newer version',
      compress(headerLine({ migrations: migrations.length + 1 }), wrongEnd),
      /newer version of Yonder \(9\.9\.9\)/,
    ],
    [
      'a backup whose version would control the terminal',
      compress(headerLine({ version: '\u001B[2J' }), rightEnd),
      /is damaged: its first line is wrong/,
    ],
    [
      'a backup with a time that is none',
      compress(headerLine({ createdAt: '\u001B[2J' }), rightEnd),
      /is damaged: its first line is wrong/,
    ],
    ['a backup with the hash of other rows', compress(headerLine(), wrongEnd), /is damaged: it was changed/],
    ['a backup without its end', compress(headerLine()), /is damaged: its end is missing/],
    [
      'a backup with more after its end',
      compress(headerLine(), rightEnd, rightEnd),
      /it continues after its end/,
    ],
    [
      'a backup with a table that is none of a backup',
      compress(headerLine(), '{"table":"migrations","columns":["applied_at","number"]}', wrongEnd),
      /damaged/,
    ],
  ])('that is %s is refused, and nothing is restored (§31.6, §31.7)', async (_, content, message) => {
    writeFileSync(scene.file, content)
    const target = await scene.openTarget(engine)
    await addToInstallation(target)
    const before = await hashInstallation(target)
    await expect(restoreBackup(target, scene.file, failIfAsked)).rejects.toThrow(message)
    expect(await hashInstallation(target)).toEqual(before)
  })
})
