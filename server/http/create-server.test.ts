import { once } from 'node:events'
import { get as getPlain, type IncomingMessage } from 'node:http'
import { get as getSecure } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { expect, it, afterEach, vi } from 'vitest'
import { makeTestCertificate } from '../testing/make-certificate.ts'
import { registerClientAddresses } from './client-address.ts'
import { createServer, limitConnections, logDisconnect, onDisconnect, RequestLog } from './create-server.ts'
import { createErrorHandler } from './error-handler.ts'
import { Shutdown } from './shutdown.ts'
import { createTlsServers } from './tls-server.ts'

it('refuses new requests while the server shuts down', async () => {
  const app = Fastify({ return503OnClosing: false })
  app.setErrorHandler(createErrorHandler(() => null))
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  new Shutdown(app)
  app.addHook('preClose', () => ended)
  app.get('/', () => 'here')
  const address = await app.listen({ port: 0 })
  expect(await (await fetch(address)).text()).toBe('here')

  const closed = app.close()
  const response = await fetch(address)
  expect(response.status).toBe(503)
  expect(response.headers.get('connection')).toBe('close')
  expect(await response.json()).toEqual({
    error: { code: 'restarting', message: 'Yonder is restarting. Try again in a moment.' },
  })
  end()
  await closed
  await expect(fetch(address)).rejects.toThrow()
})

let close: () => Promise<void> = () => Promise.resolve()
afterEach(() => close())

it('logs one line for each request, also when its client disconnects, and no id of a shared chat', async () => {
  const lines: Record<string, unknown>[] = []
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>)
  const app = Fastify({
    logger: { level: 'info', stream: { write } },
    logController: new RequestLog(),
    forceCloseConnections: true,
  })
  const counted = vi.fn()
  registerClientAddresses(app, ['127.0.0.1'])
  app.decorateRequest('user', null)
  app.addHook('onRequest', async (request) => {
    const subject = request.headers['x-user']
    if (typeof subject === 'string')
      request.user = { id: 'u', issuer: 'i', subject, name: null, email: null, picture: null }
  })
  onDisconnect(app, logDisconnect)
  onDisconnect(app, counted)
  app.get('/complete', () => 'here')
  app.get('/api/share/:id', () => 'shared')
  app.get('/share/:id', () => 'page')
  app.get('/stream', (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200).write('first')
  })
  app.get('/waiting', () => new Promise(() => undefined))
  const address = await app.listen({ port: 0 })
  close = () => app.close()
  const requests = () => lines.filter(({ msg }) => msg === 'request')

  const headers = {
    'x-user': 'local|ada',
    'x-forwarded-for': '::ffff:203.0.113.7',
    authorization: 'Bearer secret',
  }
  await (await fetch(`${address}/complete?word=secret`, { headers })).text()
  await expect.poll(() => requests().length).toBe(1)
  const client = new AbortController()
  const stream = await fetch(`${address}/stream?word=secret`, { signal: client.signal })
  expect(stream.status).toBe(200)
  expect(requests()).toHaveLength(1)
  client.abort()
  await expect.poll(() => requests().length).toBe(2)
  const timedOut = fetch(`${address}/waiting`, { signal: AbortSignal.timeout(50) })
  await expect(timedOut).rejects.toThrow()
  await expect.poll(() => requests().length).toBe(3)
  expect(requests()).toEqual([
    expect.objectContaining({
      method: 'GET',
      path: '/complete',
      status: 200,
      address: '203.0.113.7',
      user: 'local|ada',
    }),
    expect.objectContaining({ path: '/stream', status: 200, left: true, address: '127.0.0.1', user: null }),
    expect.objectContaining({ method: 'GET', path: '/waiting', status: null, left: true }),
  ])
  expect(requests()[0]).not.toHaveProperty('left')
  expect(counted).toHaveBeenCalledTimes(2)

  const shared = ['/api/share/secret-id', '/share/secret-id', '//share/secret-id/x']
  for (const path of shared) await (await fetch(address + path)).text()
  await expect.poll(() => requests().length).toBe(6)
  expect(JSON.stringify(lines.filter(({ msg }) => msg === 'request'))).not.toContain('secret')
  const paths = requests()
    .slice(3)
    .map(({ path }) => path)
  expect(paths).toEqual(['/api/share/[id]', '/share/[id]', '//share/[id]/x'])
})

it('refuses connections while others still have descriptors, and says so once', async () => {
  const lines: string[] = []
  const app = Fastify({
    logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } },
  })
  limitConnections(app, 100, () => 98)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const first = connect(port, '127.0.0.1')
  await once(first, 'connect')
  for (let count = 0; count < 2; count++) {
    const refused = connect(port, '127.0.0.1').resume()
    refused.on('error', () => undefined)
    await once(refused, 'close')
  }
  expect(lines).toEqual([expect.stringContaining('because 1 are open. This process may open 100 files')])
  first.destroy()
  await app.close()
})

it('sends HSTS for an https address, but not with a certificate that a device may not trust', async () => {
  const { cert, key, ca } = makeTestCertificate('nas.local')
  const hstsOf = async (
    tls: { readonly authority: string | null } | null,
    publicUrl = 'https://nas.local:3000',
  ) => {
    const own = tls === null ? null : { servers: createTlsServers({ cert, key }), hosts: () => [], ...tls }
    const { app } = await createServer(
      { connectOrigins: () => [], toStorageError: () => null, tls: own },
      { publicUrl, hstsSubdomains: false, logLevel: 'silent', trustedProxies: [] },
    )
    app.get('/', () => 'here')
    // Fastify does not know which protocol its server speaks.
    const plain = await app.listen({ port: 0, host: '127.0.0.1' })
    const address = own === null ? plain : plain.replace('http:', 'https:')
    const request = own === null ? getPlain : getSecure
    const sent = request(address, {
      headers: { host: new URL(publicUrl).host },
      ca,
      servername: 'nas.local',
      agent: false,
    })
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const file = own === null ? undefined : await (await fetch(`${plain}/ca.crt`)).text()
    await app.close()
    return [response.statusCode, response.headers['strict-transport-security'], file === ca]
  }
  expect(await hstsOf({ authority: ca })).toEqual([200, undefined, true])
  expect(await hstsOf({ authority: null })).toEqual([200, 'max-age=31536000', false])
  expect(await hstsOf(null)).toEqual([200, 'max-age=31536000', false])
  expect(await hstsOf(null, 'http://nas.local:3000')).toEqual([200, undefined, false])
})
