import { once } from 'node:events'
import { get as getPlain } from 'node:http'
import { get } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { connect } from 'node:tls'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeTestCertificate } from '../testing/make-certificate.ts'
import { createTlsServers, isEncrypted, type TlsServers } from './tls-server.ts'

describe('a server with TLS', () => {
  const [first, second] = [makeTestCertificate('localhost'), makeTestCertificate('localhost')]
  let servers: TlsServers
  let app: FastifyInstance
  let port: number
  beforeEach(async () => {
    servers = createTlsServers(first)
    app = Fastify({ serverFactory: servers.create, forceCloseConnections: true })
    app.get('/', (request) => (isEncrypted(request.raw.socket) ? 'secure' : 'plain'))
    app.get('/stream', (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200).write('first')
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    port = (app.server.address() as { port: number }).port
  })
  afterEach(async () => {
    vi.useRealTimers()
    await app.close()
  })

  async function request(ca: string, path = '/') {
    const sent = get({ host: 'localhost', port, path, ca, agent: false, family: 4 })
    const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
    return response.setEncoding('utf8')
  }

  it('answers https, and plain http on the same port with one response for each connection', async () => {
    expect((await (await request(first.ca)).toArray()).join('')).toBe('secure')
    const response = await fetch(`http://127.0.0.1:${port}/`)
    expect([await response.text(), response.headers.get('connection')]).toEqual(['plain', 'close'])
  })

  it('receives a request whose first byte arrives alone', async () => {
    const socket = connectPlain(port, '127.0.0.1').setNoDelay().setEncoding('utf8')
    await once(socket, 'connect')
    socket.write('G')
    // The server has read the first byte when a later connection has its response.
    await (await fetch(`http://127.0.0.1:${port}/`)).text()
    socket.write('ET / HTTP/1.1\r\nhost: x\r\n\r\n')
    expect((await socket.toArray()).join('')).toMatch(/^HTTP\/1\.1 200 OK[^]*plain$/)
  })

  it.each([
    ['nothing but its end', ''],
    ['neither TLS nor http', '\0\x01\x02\r\n\r\n'],
    ['a broken handshake', '\x16\x03\x01\0\x05nonsense'],
    ['half a request', 'GET / HT'],
  ])('survives a client that sends %s', async (_, text) => {
    const socket = connectPlain(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.end(text)
    await once(socket.resume(), 'close')
    expect((await (await request(first.ca)).toArray()).join('')).toBe('secure')
  })

  it('uses a renewed certificate for new connections, and ends none', async () => {
    const stream = await request(first.ca, '/stream')
    servers.setCredentials(second)
    expect((await (await request(second.ca)).toArray()).join('')).toBe('secure')
    await expect(request(first.ca)).rejects.toThrow()
    expect([stream.destroyed, stream.read() ?? 'first']).toEqual([false, 'first'])
    stream.destroy()
  })

  it('ends a plain connection without a response after ten seconds, and none with TLS', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const sockets = [connectPlain(port, '127.0.0.1'), connectPlain(port, '127.0.0.1')]
    const ends = sockets.map((socket) => {
      socket.on('error', () => undefined)
      return new Promise((resolve) => socket.resume().once('close', resolve))
    })
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    sockets[0]?.write('GET / HT')
    // The server has accepted them when a later connection has its response.
    const stream = await request(first.ca, '/stream')
    vi.advanceTimersByTime(10_000)
    await Promise.all(ends)
    expect((await (await request(first.ca)).toArray()).join('')).toBe('secure')
    expect(stream.destroyed).toBe(false)
    stream.destroy()
  })

  it('closes also while connections have sent nothing, or wait for a response', async () => {
    // Otherwise the deadlines would end them, too.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const silent = connectPlain(port, '127.0.0.1')
    const shaking = connect({ port, host: '127.0.0.1', ca: first.ca, servername: 'localhost' })
    await Promise.all([once(silent, 'connect'), once(shaking, 'secureConnect')])
    const sent = getPlain({ host: '127.0.0.1', port, path: '/stream', agent: false })
    const [stream] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
    expect(await once(stream.setEncoding('utf8'), 'data')).toEqual(['first'])
    const connections = [silent, shaking, stream]
    const ends = connections.map((connection) => {
      connection.on('error', () => undefined)
      return new Promise((resolve) => connection.resume().once('close', resolve))
    })
    await app.close()
    await Promise.all(ends)
    expect(stream.complete).toBe(false)
  })
})
