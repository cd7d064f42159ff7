import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { createErrorHandler } from './error-handler.ts'
import { isSecureOrigin, registerHostCheck, type HostCheckOptions } from './host-check.ts'

let app: FastifyInstance | undefined
afterEach(() => app?.close())

/** Sends a request to a server whose every path answers "here". */
async function send(
  options: Partial<HostCheckOptions>,
  {
    headers,
    ...request
  }: InjectOptions & { readonly headers: { readonly host: string; readonly accept?: string } },
) {
  app = Fastify()
  app.setErrorHandler(createErrorHandler(() => null))
  registerHostCheck(app, {
    publicUrl: 'http://localhost:3000',
    servesTls: false,
    otherHosts: () => [],
    ...options,
  })
  app.all('*', () => 'here')
  return app.inject({ url: '/', ...request, headers: { accept: 'text/html,*/*;q=0.8', ...headers } })
}

const hostile = ['nas:3000', 'evil.example', 'localhost:3001.evil.example', 'localhost@evil.example', 'nas']

describe('a browser at an address that is not served', () => {
  it.each(hostile)('at %j gets a page that says so, and nothing else', async (host) => {
    const response = await send({}, { url: '/chat/1?x=1', headers: { host } })
    expect([response.statusCode, response.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8'])
    expect(response.body).toContain('<h1>Yonder has another address</h1>')
    for (const way of [
      'yonder start --tls',
      'TLS=local',
      'PUBLIC_URL=https://',
      'ssh -N -L 3000:localhost:3000',
    ])
      expect(response.body).toContain(way)
  })

  it('gets the same page from every installation, without scripts and without HSTS', async () => {
    const pages = []
    for (const publicUrl of ['https://secret-name.example', 'http://localhost:4711'])
      pages.push(await send({ publicUrl }, { url: '/secret-path', headers: { host: 'nas' } }))
    expect(pages[0]?.body).toBe(pages[1]?.body)
    expect(pages[0]?.body).not.toMatch(/secret|4711|<script|\son\w+=/)
    expect(pages[0]?.headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/,
      ) as string,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    expect(pages[0]?.headers).not.toHaveProperty('strict-transport-security')
  })

  it.each<[string, InjectOptions & { headers: { host: string; accept?: string } }]>([
    ['a call', { url: '/api/bots', headers: { host: 'nas' } }],
    ['a script', { headers: { host: 'nas', accept: '*/*' } }],
    ['a form', { method: 'POST', headers: { host: 'nas' } }],
  ])('gets the error as JSON for %s', async (_, request) => {
    const response = await send({}, request)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({
      error: {
        code: 'invalid_request',
        message:
          'This address is not served here. Use the address that the server prints when it starts (setting PUBLIC_URL).',
      },
    })
  })
})

describe('a public address of plain http', () => {
  const publicUrl = 'http://nas:3000'
  const headers = { host: 'nas:3000' }

  it.each(['/', '/chat/1', '/settings/bots', '/oidc/set-up?token=x', '/nothing'])(
    'shows at %s what is missing',
    async (url) => {
      const response = await send({ publicUrl }, { url, headers })
      expect(response.statusCode).toBe(403)
      expect(response.body).toContain('<h1>Yonder needs https here</h1>')
      expect(response.body).not.toContain('here</body>')
    },
  )

  it.each(['/share/abc', '/terms', '/privacy', '/api/settings', '/healthz'])(
    'serves %s, which needs no sign-in',
    async (url) => {
      expect((await send({ publicUrl }, { url, headers })).body).toBe('here')
    },
  )

  it('serves scripts, and everything to a browser that reached a proxy over https', async () => {
    expect((await send({ publicUrl }, { headers: { ...headers, accept: '*/*' } })).body).toBe('here')
    const proxied = { ...headers, 'x-forwarded-proto': 'https' }
    expect((await send({ publicUrl }, { headers: proxied })).body).toBe('here')
  })

  it.each([
    ['http://localhost:3000', true],
    ['http://yonder.localhost:3000', true],
    ['http://127.0.0.2:3000', true],
    ['http://[::1]:3000', true],
    ['https://nas:3000', true],
    ['http://nas:3000', false],
    ['http://192.168.1.20:3000', false],
    ['http://localhost.example', false],
    ['http://127.example', false],
    ['http://[fd00::1]:3000', false],
  ])('is %s? Browsers can sign in: %s', async (origin, isSecure) => {
    expect(isSecureOrigin(origin)).toBe(isSecure)
    const response = await send({ publicUrl: origin }, { headers: { host: new URL(origin).host } })
    expect(response.statusCode).toBe(isSecure ? 200 : 403)
  })
})

describe('another name of this machine', () => {
  const options = {
    publicUrl: 'https://nas:3000',
    otherHosts: () => ['nas.local', '192.168.1.20', '[fd00::5]'],
  }

  it.each(['nas.local:3000', '192.168.1.20:3000', '[fd00::5]:3000', 'localhost:3000', '127.0.0.1'])(
    'redirects a page at %s to the public address, and serves nothing',
    async (host) => {
      const page = await send(options, { url: '//evil.example/chat/1?x=1', headers: { host } })
      expect([page.statusCode, page.headers.location]).toEqual([
        302,
        'https://nas:3000/evil.example/chat/1?x=1',
      ])
      expect((await send(options, { url: '/api/bots', headers: { host } })).statusCode).toBe(400)
      expect((await send(options, { method: 'POST', headers: { host } })).statusCode).toBe(400)
    },
  )

  it('does not redirect to another site for a path with a backslash', async () => {
    await send(options, { headers: { host: 'localhost' } })
    const address = (await app?.listen({ port: 0, host: '127.0.0.1' })) ?? ''
    // A client that sends the path as it is.
    const sent = get({
      port: new URL(address).port,
      host: '127.0.0.1',
      path: '/\\evil.example/x',
      headers: { host: 'localhost' },
    })
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect(response.resume().headers.location).toBe('https://nas:3000/evil.example/x')
  })

  it('is not found in a name that only begins or ends with it', async () => {
    for (const host of [
      'nas.local.evil.example',
      'evil-192.168.1.20',
      '192.168.1.21:3000',
      'nas:3001',
      'nas',
    ])
      expect((await send(options, { headers: { host } })).statusCode).toBe(400)
  })
})

describe('plain http at a server with TLS', () => {
  const options = { publicUrl: 'https://nas:3000', servesTls: true }

  it('is redirected to https, whatever name it used', async () => {
    for (const host of ['nas:3000', 'evil.example']) {
      const page = await send(options, { url: '/chat/1?x=1', headers: { host } })
      expect([page.statusCode, page.headers.location]).toEqual([302, 'https://nas:3000/chat/1?x=1'])
    }
  })

  it('serves the certificate of the authority, which has our address, under no name of another site', async () => {
    for (const host of ['nas:3000', 'nas', '192.168.1.20:3000', '[fd00::5]', 'localhost:3000'])
      expect((await send(options, { url: '/ca.crt', headers: { host } })).body).toBe('here')
    for (const host of ['evil.example', 'evil.example:3000', 'x.nas', '192.168.1.20.evil.example']) {
      const response = await send({ ...options, servesTls: false }, { url: '/ca.crt', headers: { host } })
      expect(response.statusCode).toBe(400)
      expect(response.body + JSON.stringify(response.headers)).not.toContain('nas:3000')
    }
  })

  it('serves health checks and the certificate of the authority, and refuses calls', async () => {
    for (const url of ['/healthz', '/readyz', '/metrics', '/ca.crt'])
      expect((await send(options, { url, headers: { host: 'nas:3000' } })).body).toBe('here')
    for (const request of [{ url: '/api/bots' }, { method: 'POST' }] as const) {
      const response = await send(options, { ...request, headers: { host: 'nas:3000' } })
      expect(response.statusCode).toBe(400)
      expect(response.json()).toMatchObject({ error: { code: 'invalid_request' } })
    }
  })
})
