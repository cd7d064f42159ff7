import { expect, test } from 'vitest'
import { writeExport } from '../../testing/imports/export-files.ts'
import { readExport } from './read-export.ts'

const chat = (id: string) => ({
  id,
  title: null,
  mapping: { u: { message: { author: { role: 'user' }, content: { content_type: 'text', parts: ['Hi'] } } } },
})

const chats = Array.from({ length: 50 }, (_, index) => chat(`${index}`))

const never = new AbortController().signal

test('reads the chats of an export in a thread', async () => {
  const opened = await readExport(await writeExport({ 'conversations.json': [...chats, 5] }), {
    signal: never,
  })
  const read: unknown[] = []
  for await (const next of opened.chats()) read.push(next)
  expect([opened.source, read.length, opened.bytesRead()]).toEqual(['chatgpt', 51, opened.totalBytes])
  expect(read[0]).toMatchObject({ sourceId: '0', messages: [{ content: 'Hi' }] })
  expect(read[50]).toEqual({ sourceId: null, title: null, problem: 'It is no chat.' })
})

test('fails as the reader does', async () => {
  const files = await writeExport({ 'a.zip': Buffer.from('PK\x03\x04') })
  await expect(readExport(files, { signal: never })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'a.zip is damaged or incomplete. Download the export again.',
  })
})

test('ends when its signal aborts, before and while it reads', async () => {
  const files = await writeExport({ 'conversations.json': chats })
  const reason = new Error('cancelled')
  await expect(readExport(files, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)

  const starting = new AbortController()
  const started = readExport(files, { signal: starting.signal })
  starting.abort(reason)
  await expect(started).rejects.toBe(reason)

  const reading = new AbortController()
  const opened = await readExport(files, { signal: reading.signal })
  const iterator = opened.chats()
  await iterator.next()
  reading.abort(reason)
  await expect(iterator.next()).rejects.toBe(reason)
})

test('ends when no more chats are asked for', async () => {
  const opened = await readExport(await writeExport({ 'conversations.json': chats }), { signal: never })
  const other = await readExport(await writeExport({ 'conversations.json': chats }), { signal: never })
  for await (const read of opened.chats()) {
    expect(read).toMatchObject({ sourceId: '0' })
    break
  }
  other.close()
  await expect(other.chats().next()).rejects.toThrow('The export was closed.')
})

test('a defect is an error of its own', async () => {
  const missing = [{ name: 'a.zip', path: '/nowhere/a.zip' }]
  await expect(readExport(missing, { signal: never })).rejects.toThrow('ENOENT')
})
