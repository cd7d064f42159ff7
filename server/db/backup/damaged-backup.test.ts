import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../lib/app-error.ts'
import {
  addToInstallation,
  BackupScene,
  createOptions,
  failIfAsked,
  hashInstallation,
  installationOf,
} from '../../testing/backup/backup-scene.ts'
import { fillTables } from '../../testing/database/fill-tables.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { migrations } from '../migrate.ts'
import { readChunks } from './backup-file.ts'
import { createBackup } from './create-backup.ts'
import { restoreBackup } from './restore-backup.ts'
import { ContentWriter } from './rows.ts'

const scene = new BackupScene()

const compress = (...lines: readonly string[]): Buffer => gzipSync(lines.map((line) => `${line}\n`).join(''))

function headerLine(fields: Readonly<Record<string, unknown>> = {}): string {
  const header = {
    format: 2,
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

const gzipHeaderBytes = 10
/** The checksum and the length of the content. */
const gzipTrailerBytes = 8
const bits = [0, 1, 2, 3, 4, 5, 6, 7]

function withChangedBit(file: Buffer, at: number, bit: number): Buffer {
  const changed = Buffer.from(file)
  changed[at] = (changed[at] ?? 0) ^ (1 << bit)
  return changed
}

/** Whether reading a backup with these bytes fails, with an error for the operator. */
async function isRefused(file: Buffer): Promise<boolean> {
  writeFileSync(scene.file, file)
  const content = await readAll(scene.file).catch((error: unknown) => error)
  if (!(content instanceof Error)) return false
  expect(content).toBeInstanceOf(AppError)
  return true
}

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

  it('that was cut or changed anywhere is refused, and nothing is restored', async () => {
    await fillTables(source)
    await createBackup(installationOf(source), scene.file, createOptions)
    const whole = readFileSync(scene.file)
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
    for (let at = gzipHeaderBytes; at < whole.length - gzipTrailerBytes; at += stepOf(60)) {
      const changed = withChangedBit(whole, at, 2)
      if (await isRefused(changed)) continue
      // A changed bit has no effect when it refers to another place with the same text.
      expect(gunzipSync(changed).equals(gunzipSync(whole))).toBe(true)
    }
    for (let at = whole.length - gzipTrailerBytes; at < whole.length; at++) {
      for (const bit of bits)
        expect([at, bit, await isRefused(withChangedBit(whole, at, bit))]).toContain(true)
    }
    expect(await hashInstallation(target)).toEqual(before)
  }, 120_000)

  it('is accepted with changes of the gzip header that have no effect, and refused with others', async () => {
    await createBackup(installationOf(source), scene.file, createOptions)
    const whole = readFileSync(scene.file)
    const accepted: [number, number][] = []
    for (let at = 0; at < gzipHeaderBytes; at++) {
      for (const bit of bits) if (!(await isRefused(withChangedBit(whole, at, bit)))) accepted.push([at, bit])
    }
    // The flag that the content is text, and the time, the level and the system of the compression (RFC 1952).
    const isText: [number, number] = [3, 0]
    expect(accepted).toEqual([isText, ...[4, 5, 6, 7, 8, 9].flatMap((at) => bits.map((bit) => [at, bit]))])
  })

  it.each([
    ['a file that is not compressed', 'text', /is not a backup of Yonder/],
    ['an empty file', '', /is not a backup of Yonder/],
    ['another compressed file', gzipSync('{"a":1}\n'), /is not a backup of Yonder/],
    ['a compressed text', gzipSync('drop table users;\n'), /is not a backup of Yonder/],
    ['a compressed text of one line', gzipSync('text'), /is not a backup of Yonder/],
    [
      'a backup of a newer format',
      compress(headerLine({ format: 3 }), wrongEnd),
      /newer version of Yonder\. Restore it with/,
    ],
    [
      'a backup from before the first release',
      compress(headerLine({ format: 1 }), wrongEnd),
      /before 0\.1\.0\. Restore it with/,
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
      'a backup with an invalid time',
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
      'a backup with a table that backups do not contain',
      compress(headerLine(), '{"table":"migrations","columns":["applied_at","number"]}', wrongEnd),
      /damaged/,
    ],
  ])('that is %s is refused, and nothing is restored', async (_, content, message) => {
    writeFileSync(scene.file, content)
    const target = await scene.openTarget(engine)
    await addToInstallation(target)
    const before = await hashInstallation(target)
    await expect(restoreBackup(target, scene.file, failIfAsked)).rejects.toThrow(message)
    expect(await hashInstallation(target)).toEqual(before)
  })
})
