import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { serializerCompiler as whole } from 'fastify-type-provider-zod'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'
import { unpublished } from './api.ts'
import { readInPages, serializerCompiler } from './send-pieces.ts'

const Answer = z.object({
  id: z.string(),
  items: z.array(
    z.object({
      name: z.string(),
      note: z.string().nullish(),
      size: z.int().optional(),
      parts: z.array(z.union([z.string(), z.object({ text: z.string() })])).optional(),
    }),
  ),
  empty: z.array(z.string()),
  last: z.string().nullable(),
})
type Answer = z.infer<typeof Answer>

const item = (name: string): Answer['items'][number] => ({
  name,
  note: null,
  parts: ['"\\\u2028', { text: '😀'.repeat(3_000) }],
})
const items = Array.from({ length: 200 }, (_, at) => ({ ...item(`n${at}`), unknown: 1, size: undefined }))
const answer = {
  last: null,
  more: 1,
  id: 'x',
  items: [...items, { name: `a${'😀'.repeat(200_000)}` }],
  empty: [],
}

const apps: { close(): unknown }[] = []
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
})

async function serve(compiler: typeof serializerCompiler, value: () => unknown) {
  const app = Fastify({ forceCloseConnections: true })
  apps.push(app)
  app.setSerializerCompiler(compiler as never)
  const writes: number[] = []
  app.addHook('onRequest', async (_request, { raw }) => {
    const write = raw.write.bind(raw)
    raw.write = ((chunk: Buffer, ...rest: []) => {
      writes.push(chunk.length)
      return write(chunk, ...rest)
    }) as typeof raw.write
  })
  app.get('/', { schema: { ...unpublished, response: { 200: Answer } } }, async () => value() as Answer)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const read = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/`)
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body: await response.text(),
    }
  }
  return { read, writes }
}

it('writes a large answer in pieces, with the same bytes', async () => {
  const { read, writes } = await serve(serializerCompiler, () => answer)
  const expected = await (await serve(whole as never, () => answer)).read()
  expect(await read()).toEqual(expected)
  expect(expected.status).toBe(200)
  expect(writes.length).toBeGreaterThan(20)
  expect(Math.max(...writes)).toBeLessThan(300_000)
})

it('writes a small answer at once', async () => {
  const { read, writes } = await serve(serializerCompiler, () => ({ ...answer, items: [] }))
  expect((await read()).body).toBe('{"id":"x","items":[],"empty":[],"last":null}')
  expect(writes).toEqual([])
})

it('reads the pages of a list while they are sent, and no further when the client has left', async () => {
  let count = 0
  let isEnded = false
  async function* pages() {
    try {
      for (; count < 10_000; count++) yield [item('x'), item('y')]
    } finally {
      isEnded = true
    }
  }
  const { read } = await serve(serializerCompiler, () => ({ ...answer, items: readInPages(pages()) }))
  count = 9_900
  const { body } = await read()
  expect(Answer.parse(JSON.parse(body)).items).toEqual(
    Array.from({ length: 100 }, () => [item('x'), item('y')]).flat(),
  )
  isEnded = false
  count = 0
  const aborted = new AbortController()
  const { port } = new URL((apps[0] as { listeningOrigin: string } & (typeof apps)[0]).listeningOrigin)
  await fetch(`http://127.0.0.1:${port}/`, { signal: aborted.signal })
  aborted.abort()
  await expect.poll(() => isEnded).toBe(true)
  expect(count).toBeLessThan(5_000)
})

it.each([
  ['an item', { ...answer, items: [...items, { name: 1 }] }],
  ['a field', { ...answer, id: undefined }],
])('ends the connection, or refuses, when %s does not match the schema', async (_what, value) => {
  const { read } = await serve(serializerCompiler, () => value)
  await expect(read().then(({ status }) => status >= 500 && Promise.reject(new Error()))).rejects.toThrow()
})
