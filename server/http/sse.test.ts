import { request, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import Fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { createSseHub, sseFrame, type SseHub, type SseStream } from './sse.ts'

let close: () => Promise<void> = () => Promise.resolve()
afterEach(() => close())

/**
 * Opens a stream on a server of its own, and a client that reads it. `onOpen` is called in the turn of the event loop
 * in which the stream opens.
 */
async function open(intervalMs: number, onOpen: (stream: SseStream, sent: () => number) => void = () => {}) {
  const app = Fastify({ forceCloseConnections: true })
  const hub: SseHub = createSseHub({ heartbeat: 'beat', intervalMs, keyOf: () => 'ada' })
  const streams: SseStream[] = []
  app.addHook('onSend', async () => undefined)
  app.get('/', (incoming, reply) => {
    reply.header('x-content-type-options', 'nosniff')
    const stream = hub.open(incoming, reply)
    streams.push(stream)
    const before = incoming.socket.bytesWritten
    onOpen(stream, () => incoming.socket.bytesWritten - before)
  })
  await app.listen({ port: 0 })
  close = async () => {
    hub.close()
    await app.close()
  }
  const { port } = app.server.address() as AddressInfo
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, agent: false }, resolve).on('error', reject).end()
  })
  const [stream] = streams
  if (stream === undefined) throw new Error('No stream was opened.')
  return { stream, response }
}

/**
 * Sends two requests on one connection: one whose response waits for `respondFirst`, and one for a stream. Returns all
 * that the client receives.
 */
async function openBehind(
  act: (stream: SseStream, respondFirst: () => void) => Promise<void>,
): Promise<string> {
  const app = Fastify({ forceCloseConnections: true })
  const hub = createSseHub({ heartbeat: 'beat', keyOf: () => 'ada' })
  let respondFirst = (): void => undefined
  app.get('/first', () => new Promise((resolve) => (respondFirst = () => resolve('first'))))
  app.get('/second', (incoming, reply) => act(hub.open(incoming, reply), respondFirst))
  await app.listen({ port: 0 })
  close = async () => {
    hub.close()
    await app.close()
  }
  const socket = connect((app.server.address() as AddressInfo).port)
  const requestText = (path: string, more: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n${more}\r\n`
  socket.write(requestText('/first', '') + requestText('/second', 'connection: close\r\n'))
  let text = ''
  for await (const chunk of socket.setEncoding('utf8')) text += String(chunk)
  return text
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  return text
}

describe('server-sent events', () => {
  it('start at once, are never transformed or buffered, and have the headers of every response', async () => {
    const { response } = await open(60_000)
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
  })

  it('send frames, heartbeats between them, and end', async () => {
    const { stream, response } = await open(40)
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    const ended = new Promise((resolve) => response.on('end', resolve))
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

  it('send everything that is written in one turn together at its end, in order', async () => {
    let sent = -1
    const { stream, response } = await open(60_000, (opened, sentBytes) => {
      for (const data of ['one', 'two']) opened.write(sseFrame(data))
      sent = sentBytes()
    })
    expect(sent).toBe(0)
    stream.end(sseFrame('three'))
    expect(await textOf(response)).toBe('data: one\n\ndata: two\n\ndata: three\n\n')
  })

  it('send everything that is written in one turn also when the stream ends in it', async () => {
    const { response } = await open(60_000, (opened) => {
      opened.write(sseFrame('one'))
      opened.end(sseFrame('two'))
    })
    expect(await textOf(response)).toBe('data: one\n\ndata: two\n\n')
  })

  it('hold back only the beginning when much is written in one turn', async () => {
    const frame = sseFrame('x'.repeat(1_000))
    let held = 0
    const { stream, response } = await open(60_000, (opened, sentBytes) => {
      while (sentBytes() === 0 && held < 1_000) {
        opened.write(frame)
        held++
      }
    })
    expect(held).toBeLessThan(100)
    stream.end()
    expect(await textOf(response)).toBe(frame.repeat(held))
  })

  it('wait for the response to an earlier request on the same connection', async () => {
    const text = await openBehind(async (stream, respondFirst) => {
      for (const data of ['one', 'two', 'three']) {
        stream.write(sseFrame(data))
        await wait(20)
      }
      respondFirst()
      await wait(20)
      stream.end(sseFrame('four'))
    })
    const [, first, second] = text.split(/HTTP\/1\.1 200 OK\r\n/)
    expect(first).toMatch(/\r\n\r\nfirst$/)
    expect(second?.match(/data: \w+/g)).toEqual(['data: one', 'data: two', 'data: three', 'data: four'])
    expect(second).toMatch(/\r\n\r\nb\r\ndata: one\n\n\r\n/)
  })

  it('are closed when too much data waits for an earlier response', async () => {
    const frame = sseFrame('x'.repeat(64 * 1024))
    let written = 0
    let closed = 0
    const text = await openBehind(async (stream, respondFirst) => {
      stream.onClose(() => closed++)
      while (!stream.closed && written < 100) {
        stream.write(frame)
        written++
        await wait(0)
      }
      respondFirst()
    })
    expect(written).toBeLessThan(15)
    expect(closed).toBe(1)
    expect(text).toMatch(/\r\n\r\nfirst$/)
  })

  it('continue after an empty write', async () => {
    const { stream, response } = await open(60_000)
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    const ended = new Promise((resolve) => response.on('end', resolve))
    for (const frames of ['', sseFrame('one'), '', sseFrame('two')]) stream.write(frames)
    stream.end()
    await ended
    expect(text).toBe('data: one\n\ndata: two\n\n')
  })

  it('detect that the reader disconnected', async () => {
    const { stream, response } = await open(60_000)
    let closed = 0
    stream.onClose(() => closed++)
    response.destroy()
    await expect.poll(() => stream.closed).toBe(true)
    expect(closed).toBe(1)
    stream.onClose(() => closed++)
    expect(closed).toBe(2)
    expect(await stream.drained()).toBe(false)
  })

  it('disconnect a reader that does not read, with a bounded buffer', async () => {
    const { stream, response } = await open(60_000)
    response.pause()
    const frame = sseFrame('x'.repeat(64 * 1024))
    let written = 0
    while (!stream.closed && written < 2_000) {
      stream.write(frame)
      written++
      await wait(0)
    }
    expect(stream.closed).toBe(true)
    // The two sockets and this process buffer some of it.
    expect(written).toBeLessThan(300)
  })

  it('wait for the reader before the next chunk', async () => {
    const { stream, response } = await open(60_000)
    response.pause()
    while (
      await Promise.race([stream.drained(), wait(50).then(() => 'full')]).then((state) => state !== 'full')
    ) {
      stream.write(sseFrame('x'.repeat(100_000)))
    }
    const drained = stream.drained()
    response.resume()
    expect(await drained).toBe(true)
  })
})
