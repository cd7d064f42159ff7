import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parseConfig } from '../../config/config.ts'
import { AppError } from '../../lib/app-error.ts'
import { createNoProxy } from '../../lib/outgoing-proxies.ts'
import { makeTestCertificate } from '../../testing/make-certificate.ts'
import type { AddressPolicy } from './address-policy.ts'
import type { Lookup } from './guarded-connector.ts'
import { guardedFetch, type GuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts'

const { cert, key, ca } = makeTestCertificate('model.example')
const closing: (() => Promise<unknown>)[] = []
/** What the proxy was asked, and the target received. */
let asked: string[] = []
let received: IncomingMessage[] = []
let target: { readonly secure: number; readonly plain: number }
/** The status of the proxy's responses to CONNECT. */
let status = 200

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

beforeEach(async () => {
  asked = []
  received = []
  status = 200
  const respond = (request: IncomingMessage, response: { end(text: string): void }): void => {
    received.push(request)
    request.resume().once('end', () => response.end('hello'))
  }
  target = {
    secure: await listen(createSecureServer({ cert, key }, respond)),
    plain: await listen(createServer(respond)),
  }
})

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => {
    server.close()
    sockets.forEach((socket) => socket.destroy())
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}

/** A proxy that knows every name: each leads to the target. */
async function startProxy(secure?: { readonly cert: string; readonly key: string }): Promise<number> {
  const proxy = secure === undefined ? createServer() : createSecureServer(secure)
  const note = ({ method, url, headers }: IncomingMessage): void =>
    void asked.push(`${method} ${url} ${headers['proxy-authorization'] ?? 'nobody'}`)
  proxy.on('connect', (request: IncomingMessage, client: Socket) => {
    note(request)
    client.on('error', () => undefined)
    if (status !== 200) return client.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`)
    const upstream = connect(target.secure, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(upstream).pipe(client)
    })
    upstream.on('error', () => client.destroy())
  })
  proxy.on('request', (request, response) => {
    note(request)
    if (status !== 200) return response.writeHead(status).end()
    const { pathname } = new URL(request.url ?? '')
    const { method, headers } = request
    const forwarded = httpRequest({ port: target.plain, host: '127.0.0.1', path: pathname, method, headers })
    forwarded.once('response', (answer) => answer.pipe(response))
    request.pipe(forwarded)
  })
  return listen(proxy)
}

type Names = Readonly<Record<string, readonly string[]>>

function open(
  environment: Readonly<Record<string, string>>,
  policy: Partial<AddressPolicy> = {},
  { names = {}, ...options }: Partial<GuardedFetchOptions> & { readonly names?: Names } = {},
): GuardedFetch {
  const { outgoing } = parseConfig({ PUBLIC_URL: 'https://chat.example.com', ...environment })
  const lookup: Lookup = (host, _options, callback) => {
    const addresses = names[host] ?? []
    const error = addresses.length > 0 ? null : Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })
    callback(
      error,
      addresses.map((address) => ({ address, family: 4 })),
    )
  }
  const guard = guardedFetch({
    lookup,
    authorities: [ca],
    ...options,
    policy: { ...outgoing, trust: 'userSupplied', ...policy },
  })
  closing.push(() => guard.close())
  return guard
}

async function failure(promise: Promise<unknown>): Promise<AppError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof AppError)) throw new Error(`expected an AppError, got ${String(error)}`)
  return error
}

it('opens a tunnel for https, by the name of the host, with the credentials of the proxy', async () => {
  const port = await startProxy()
  const { fetch } = open({ HTTPS_PROXY: `http://us%40er:p%3Aw@127.0.0.1:${port}` })
  const response = await fetch('https://model.example/v1', { method: 'POST', body: 'x' })
  expect(await response.text()).toBe('hello')
  const credentials = `Basic ${Buffer.from('us@er:p:w').toString('base64')}`
  expect(asked).toEqual([`CONNECT model.example:443 ${credentials}`])
  expect(received[0]?.headers).not.toHaveProperty('proxy-authorization')
  expect(received[0]).toMatchObject({ method: 'POST', url: '/v1', headers: { host: 'model.example' } })
})

it('checks the certificate of the host inside of the tunnel', async () => {
  const port = await startProxy()
  const { fetch } = open({ https_proxy: `127.0.0.1:${port}` })
  await expect(fetch('https://other.example/')).rejects.toMatchObject({
    cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  })
})

it('sends the whole address for http', async () => {
  const port = await startProxy()
  const { fetch } = open({ HTTP_PROXY: `http://u:p@127.0.0.1:${port}/` })
  const response = await fetch('http://model.example:8080/v1?a=b', {
    method: 'POST',
    body: 'x',
    headers: { authorization: 'Bearer key' },
  })
  expect(await response.text()).toBe('hello')
  expect(asked).toEqual([
    `POST http://model.example:8080/v1?a=b Basic ${Buffer.from('u:p').toString('base64')}`,
  ])
  expect(received[0]?.headers).toMatchObject({ host: 'model.example:8080', authorization: 'Bearer key' })
})

it('writes requests of the dispatcher for the proxy too, as those to models', async () => {
  const port = await startProxy()
  const { dispatcher } = open({ HTTP_PROXY: `127.0.0.1:${port}`, HTTPS_PROXY: `127.0.0.1:${port}` })
  for (const origin of ['http://model.example', 'https://model.example']) {
    const options = { origin, path: '/v1', method: 'POST', headers: { 'x-key': 'k' }, body: 'x' } as const
    expect(await (await dispatcher.request(options)).body.text()).toBe('hello')
  }
  expect(asked).toEqual(['POST http://model.example/v1 nobody', 'CONNECT model.example:443 nobody'])
  expect(received.map(({ url, headers }) => [url, headers['x-key']])).toEqual([
    ['/v1', 'k'],
    ['/v1', 'k'],
  ])
})

it('speaks TLS to a proxy whose address begins with https', async () => {
  const own = makeTestCertificate('localhost')
  const port = await startProxy(own)
  const { fetch } = open({ HTTPS_PROXY: `https://localhost:${port}` }, {}, { authorities: [ca, own.ca] })
  expect(await (await fetch('https://model.example/')).text()).toBe('hello')
  expect(asked).toEqual(['CONNECT model.example:443 nobody'])
})

it.each([
  ['*'],
  ['model.example'],
  ['.example'],
  ['*.example'],
  ['other, MODEL.example'],
  ['example:PORT'],
  ['203.0.113.0/24 model.example:PORT'],
])('reaches what NO_PROXY=%s names directly', async (list) => {
  const port = await startProxy()
  const { fetch } = open(
    { HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: list.replace('PORT', String(target.secure)) },
    { trust: 'operatorSupplied' },
    { names: { 'model.example': ['127.0.0.1'] } },
  )
  expect(await (await fetch(`https://model.example:${target.secure}/`)).text()).toBe('hello')
  expect(asked).toEqual([])
})

it.each(['other.example', 'xample', 'model.example:1', '127.0.0.0/8', 'mymodel.example', ''])(
  'asks the proxy although NO_PROXY is %j',
  async (list) => {
    const port = await startProxy()
    const { fetch } = open({ HTTPS_PROXY: `http://127.0.0.1:${port}`, no_proxy: list })
    await (await fetch('https://model.example/')).text()
    expect(asked).toEqual(['CONNECT model.example:443 nobody'])
  },
)

it('reaches this machine and the networks of NO_PROXY directly', () => {
  const isDirect = createNoProxy('10.0.0.0/8,192.168.1.9,fd00::/8,[2001:db8::1]:8443,1.2.3.4/99')
  const direct = [
    'localhost',
    'a.localhost',
    '127.0.0.9',
    '::1',
    'host.docker.internal',
    '10.9.9.9',
    '192.168.1.9',
    'fd00::5',
  ]
  for (const host of direct) expect([host, isDirect(host, 443)]).toEqual([host, true])
  expect(isDirect('2001:db8::1', 8443)).toBe(true)
  for (const host of ['11.0.0.1', '192.168.1.8', 'fe00::5', '1.2.3.4', '2001:db8::1', 'localhost.example'])
    expect([host, isDirect(host, 443)]).toEqual([host, false])
})

it.each([
  ['https://10.0.0.5/', {}],
  ['http://192.168.1.1/', {}],
  ['https://[fd00::1]/', {}],
  ['https://169.254.169.254/', {}],
  ['https://inside.example/', { 'inside.example': ['10.0.0.5'] }],
  ['http://inside.example/', { 'inside.example': ['203.0.113.9', '10.0.0.5'] }],
  // The proxy may know what is unknown here.
  ['https://intranet/', {}],
  ['https://metadata.google.internal/', {}],
  ['http://printer.local/', {}],
])('asks no proxy for %s', async (url, names) => {
  const port = await startProxy()
  const proxy = `http://127.0.0.1:${port}`
  for (const trust of ['userSupplied', 'serverSupplied'] as const) {
    const { fetch } = open({ HTTPS_PROXY: proxy, HTTP_PROXY: proxy }, { trust }, { names })
    expect((await failure(fetch(url))).code).toBe('address_refused')
  }
  expect(asked).toEqual([])
  expect(received).toEqual([])
})

it('asks the proxy for a private name that the operator has allowed, or has set', async () => {
  const port = await startProxy()
  const proxy = { HTTP_PROXY: `http://127.0.0.1:${port}` }
  const allowed = open({ ...proxy, ALLOWED_PRIVATE_HOSTS: 'intranet:80' })
  expect(await (await allowed.fetch('http://intranet/')).text()).toBe('hello')
  const set = open(proxy, { trust: 'operatorSupplied' })
  expect(await (await set.fetch('http://intranet/')).text()).toBe('hello')
  expect(asked).toHaveLength(2)
})

it('asks the proxy for a public name where DNS does not respond', async () => {
  const port = await startProxy()
  const { fetch } = open(
    { HTTP_PROXY: `http://127.0.0.1:${port}` },
    {},
    { lookup: () => undefined, maxLookupMs: 1 },
  )
  expect(await (await fetch('http://model.example/')).text()).toBe('hello')
})

it.each([
  [407, 'asks for another user name or password'],
  [403, 'refuses a connection to model.example:443 (status 403)'],
  [503, 'cannot reach model.example:443 (status 503)'],
])('names the proxy when it responds with %d, and not its password', async (code, text) => {
  status = code
  const port = await startProxy()
  const { fetch } = open({ HTTPS_PROXY: `http://user:hidden@127.0.0.1:${port}` })
  const error = await failure(fetch('https://model.example/'))
  expect(error.code).toBe('upstream_unreachable')
  expect(error.message).toContain(
    `The proxy 127.0.0.1:${port}, through which this server sends requests, ${text}.`,
  )
  expect(error.message).not.toContain('hidden')
})

it('names the proxy when it refuses its user for plain http', async () => {
  status = 407
  const port = await startProxy()
  const { fetch } = open({ HTTP_PROXY: `http://user:hidden@127.0.0.1:${port}` })
  const error = await failure(fetch('http://model.example/'))
  expect(error.message).toContain(`The proxy 127.0.0.1:${port}, through`)
  expect(error.message).toContain('asks for another user name or password')
  expect(error.message).not.toContain('hidden')
})

it('names a proxy that is not there, or does not respond', async () => {
  const silent = createServer()
  silent.on('connect', () => undefined)
  const port = await listen(silent)
  for (const [proxy, text] of [
    ['127.0.0.1:9', 'cannot be reached (ECONNREFUSED)'],
    [`127.0.0.1:${port}`, 'did not connect to model.example:443 in time'],
  ]) {
    const { fetch } = open({ HTTPS_PROXY: `http://u:hidden@${proxy}` }, {}, { maxConnectMs: 200 })
    const error = await failure(fetch('https://model.example/'))
    expect(error.message).toContain(`The proxy ${proxy}, through which this server sends requests, ${text}`)
    expect(error.message).not.toContain('hidden')
  }
})
