import { expect, it } from 'vitest'
import { collectBytes } from '../db/files/file-bytes.ts'
import { readZip } from '../testing/files/read-zip.ts'
import { writeZip, type ZipEntry } from './write-zip.ts'

async function* parts(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}

it('writes entries that others can read, compressed or as they are', async () => {
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield { path: 'a/ü.txt', content: parts('ä', '', 'b'.repeat(10_000)), isStored: false }
    yield { path: 'empty', content: parts(), isStored: false }
    yield { path: 'stored', content: parts('as it is'), isStored: true }
  }
  const bytes = await collectBytes(writeZip(entries()))
  const zip = await readZip(bytes)
  expect(zip.paths).toEqual(['a/ü.txt', 'empty', 'stored'])
  expect(zip.bytesOf('a/ü.txt').toString()).toBe(`ä${'b'.repeat(10_000)}`)
  expect(zip.bytesOf('empty')).toHaveLength(0)
  expect(bytes.includes('as it is')).toBe(true)
  expect(bytes.length).toBeLessThan(2_000)
})

it('reads no more than a little ahead of its reader, whatever the size', async () => {
  const pieces = 4_000
  let read = 0
  async function* large(): AsyncGenerator<Uint8Array> {
    for (; read < pieces; read++) yield Buffer.alloc(65_536, read)
  }
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield { path: 'large', content: large(), isStored: true }
  }
  let written = 0
  let ahead = 0
  for await (const piece of writeZip(entries())) {
    written += piece.length
    ahead = Math.max(ahead, read * 65_536 - written)
  }
  expect(written).toBeGreaterThan(pieces * 65_536)
  expect(ahead).toBeLessThan(2_000_000)
})

it.each(['its content', 'the list of entries'])('rejects with the error of %s', async (what) => {
  async function* broken(): AsyncGenerator<string> {
    yield 'begin'
    throw new Error('the disk is gone')
  }
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield { path: 'a', content: what === 'its content' ? broken() : parts('a'), isStored: true }
    throw new Error('the disk is gone')
  }
  await expect(collectBytes(writeZip(entries()))).rejects.toThrow('the disk is gone')
})

it('closes what it reads when its reader stops', async () => {
  const closed: string[] = []
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.alloc(65_536)
    } finally {
      closed.push('content')
    }
  }
  async function* entries(): AsyncGenerator<ZipEntry> {
    try {
      yield { path: 'a', content: endless(), isStored: true }
    } finally {
      closed.push('entries')
    }
  }
  let count = 0
  for await (const _ of writeZip(entries())) if (++count === 10) break
  expect(closed).toEqual(['content', 'entries'])
})
