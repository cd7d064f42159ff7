import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import { collectBytes, inPieces, oneBuffer, pieceBytes } from './file-bytes.ts'
import { FolderBytes } from './folder-bytes.ts'

describe.each(engines)('the bytes of files, on %s', (engine) => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await openTestDatabase(engine)
  })
  afterEach(() => database.close())

  const read = (id: string, start?: number, end?: number) => collectBytes(database.bytes.read(id, start, end))

  it.each([1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes])('are kept: %i', async (size) => {
    const bytes = Buffer.alloc(size, 'abcdefg')
    await database.bytes.write('a', oneBuffer(bytes))
    expect((await read('a')).equals(bytes)).toBe(true)
    for (const [start, end] of [
      [0, 1],
      [size - 1, size],
      [pieceBytes - 3, pieceBytes + 3],
      [5, 5],
      [size, size + 9],
    ] as const)
      expect((await read('a', start, end)).equals(bytes.subarray(start, end))).toBe(true)
    await database.bytes.delete('a')
    await database.bytes.delete('a')
    expect(await read('a')).toHaveLength(0)
  })

  it('are not there when their source fails, and what was there before stays on a disk', async () => {
    const failing = async function* () {
      yield Buffer.alloc(pieceBytes + 5)
      throw new Error('cut')
    }
    await expect(database.bytes.write('new', failing())).rejects.toThrow('cut')
    expect(await read('new')).toHaveLength(0)
    if (!(database.bytes instanceof FolderBytes)) return
    await database.bytes.write('old', oneBuffer(Buffer.from('before')))
    await expect(database.bytes.write('old', failing())).rejects.toThrow('cut')
    expect((await read('old')).toString()).toBe('before')
    const listed: string[] = []
    for await (const id of database.bytes.list()) listed.push(id)
    expect(listed).toEqual(['old'])
  })
})

it('cuts any parts into pieces of one size', async () => {
  const parts = async function* () {
    for (const size of [1, pieceBytes, 0, pieceBytes - 1, 2 * pieceBytes, 7])
      yield Buffer.alloc(size, size % 251)
  }
  const pieces: Buffer[] = []
  for await (const piece of inPieces(parts())) pieces.push(piece)
  expect(pieces.map(({ length }) => length)).toEqual([pieceBytes, pieceBytes, pieceBytes, pieceBytes, 7])
  expect(Buffer.concat(pieces).equals(await collectBytes(parts()))).toBe(true)
})
