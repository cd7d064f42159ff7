import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import Fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { createSseHub, sseFrame } from './sse.ts'
import type { SseHub, SseStream } from './sse.ts'

let close: () => Promise<void> = () => Promise.resolve()
afterEach(() => close())

/** A server whose only answer is a stream, and a reader of it. */
async function open(interval: number) {
  const app = Fastify({ forceCloseConnections: true })
  const hub: SseHub = createSseHub({ heartbeat: 'beat', interval })
  const streams: SseStream[] = []
  app.addHook('onSend', async () => undefined)
  app.get('/', (incoming, reply) => {
    reply.header('x-content-type-options', 'nosniff')
    streams.push(hub.open(incoming, reply))
  })
  await app.listen({ port: 0 })
  close = async () => {
    hub.close()
    await app.close()
  }
  const { port } = app.server.address() as AddressInfo
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, agent: false }, resolve).on('error', reject).end()
  })
  const [stream] = streams
  if (stream === undefined) throw new Error('no stream')
  return { stream, answer }
}

describe('server-sent events', () => {
  it('begin at once, are never transformed or buffered, and keep the headers of every answer', async () => {
    const { answer } = await open(60_000)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
  })

  it('carry frames, a heartbeat between them, and end', async () => {
    const { stream, answer } = await open(40)
    let text = ''
    answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    const ended = new Promise((resolve) => answer.on('end', resolve))
    stream.write(sseFrame('one'))
    await wait(70)
    stream.end(sseFrame('two', 2))
    await ended
    expect(text).toMatch(/^data: one\n\n(data: beat\n\n)+id: 2\ndata: two\n\n$/)
    await wait(0)
    expect(stream.closed).toBe(true)
    stream.write('nothing')
    stream.end()
  })

  it('go on after nothing was written', async () => {
    const { stream, answer } = await open(60_000)
    let text = ''
    answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    const ended = new Promise((resolve) => answer.on('end', resolve))
    for (const frames of ['', sseFrame('one'), '', sseFrame('two')]) stream.write(frames)
    stream.end()
    await ended
    expect(text).toBe('data: one\n\ndata: two\n\n')
  })

  it('notice that the reader went', async () => {
    const { stream, answer } = await open(60_000)
    let closed = 0
    stream.onClose(() => closed++)
    answer.destroy()
    await expect.poll(() => stream.closed).toBe(true)
    expect(closed).toBe(1)
    stream.onClose(() => closed++)
    expect(closed).toBe(2)
    expect(await stream.drained()).toBe(false)
  })

  it('let a reader go that does not read, with a bounded buffer', async () => {
    const { stream, answer } = await open(60_000)
    answer.pause()
    const frame = sseFrame('x'.repeat(64 * 1024))
    let written = 0
    while (!stream.closed && written < 2_000) {
      stream.write(frame)
      written++
      await wait(0)
    }
    expect(stream.closed).toBe(true)
    // What the two sockets hold, and the buffer of this process.
    expect(written).toBeLessThan(300)
  })

  it('wait for a reader before the next piece', async () => {
    const { stream, answer } = await open(60_000)
    answer.pause()
    while (
      await Promise.race([stream.drained(), wait(50).then(() => 'full')]).then((state) => state !== 'full')
    ) {
      stream.write(sseFrame('x'.repeat(100_000)))
    }
    const drained = stream.drained()
    answer.resume()
    expect(await drained).toBe(true)
  })
})
