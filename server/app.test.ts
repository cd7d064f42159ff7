import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from './testing/test-app.ts'

let product: TestApp
beforeAll(async () => {
  product = await openTestApp()
})
afterAll(() => product.close())

const host = { host: 'localhost:3000' }
const problem = (code: string) => ({ error: { code, message: expect.any(String) as string } })

describe('the address', () => {
  it('responds at the public address only', async () => {
    const foreign = await product.app.inject({ url: '/api/openapi.json', headers: { host: 'evil.example' } })
    expect(foreign.statusCode).toBe(400)
    expect(foreign.json()).toEqual(problem('invalid_request'))
    expect((await product.app.inject({ url: '/api/openapi.json', headers: host })).statusCode).toBe(200)
  })

  it('ignores forwarded host names', async () => {
    const answer = await product.app.inject({
      url: '/',
      headers: { host: '127.0.0.1:3000', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    })
    expect(answer.statusCode).toBe(302)
    expect(answer.headers.location).toBe('http://localhost:3000/')
  })

  it('is in no message about an address that is not valid', async () => {
    const answer = await product.app.inject({ url: '/api/share/secret-id%zz', headers: host })
    expect(answer.statusCode).toBe(400)
    expect(answer.body).not.toContain('secret-id')
  })

  it('never redirects to another site, whatever the path', async () => {
    const answer = await product.app.inject({ url: '//evil.example/x', headers: { host: '127.0.0.1:3000' } })
    expect(answer.headers.location).toBe('http://localhost:3000/evil.example/x')
  })
})

describe('the headers', () => {
  it('forbid scripts, frames and connections of other origins', async () => {
    const { headers } = await product.app.inject({ url: '/api/openapi.json', headers: host })
    const policy = String(headers['content-security-policy'])
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types yonder-worker',
    ]) {
      expect(policy).toContain(rule)
    }
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
  })

  it('forbid caches to store what the API returns', async () => {
    for (const url of ['/api/settings', '/api/openapi.json', '/api/bots', '/api/nowhere', '/oidc/nowhere']) {
      const { headers } = await product.app.inject({ url, headers: host })
      expect(headers['cache-control']).toBe('no-store')
    }
  })

  it.each([
    ['no setting', {}, 'max-age=31536000'],
    ['the setting', { HSTS_INCLUDE_SUBDOMAINS: 'true' }, 'max-age=31536000; includeSubDomains'],
  ])('require https of the own host, and with %s', async (_name, environment, expected) => {
    const secure = await openTestApp({
      environment: { PUBLIC_URL: 'https://chat.example.com', ...environment },
    })
    const { headers } = await secure.app.inject({ url: '/', headers: { host: 'chat.example.com' } })
    await secure.close()
    expect(headers['strict-transport-security']).toBe(expected)
  })

  it('require no https without it', async () => {
    const { headers } = await product.app.inject({ url: '/', headers: host })
    expect(headers['strict-transport-security']).toBeUndefined()
  })

  it('allow nothing to other origins', async () => {
    for (const origin of ['https://evil.example', 'null']) {
      const { headers } = await product.app.inject({ url: '/api/openapi.json', headers: { ...host, origin } })
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })
})

describe('errors', () => {
  it('are JSON also for unknown paths', async () => {
    for (const url of ['/api/nothing', '/api/..%2fbots', '/api/%00', '/API/bots']) {
      const answer = await product.app.inject({ url, headers: host })
      expect([400, 404]).toContain(answer.statusCode)
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    }
  })

  it('reveal no internals after an unexpected failure', async () => {
    const broken = await openTestApp()
    const ada = await broken.signIn()
    await broken.database.db.schema.dropTable('bots').execute()
    const answer = await ada.get('/api/bots')
    expect(answer.statusCode).toBe(500)
    expect(answer.json()).toEqual(problem('internal'))
    expect(answer.body).not.toMatch(/sqlite|select|bots/i)
    await broken.close()
  })
})

it('waits at most half an hour for an upload to arrive', () => {
  expect(product.app.server.requestTimeout).toBe(1_800_000)
})

describe('a HEAD request', () => {
  it('does nothing that its GET would do', async () => {
    const ada = await product.signIn()
    const answer = await product.app.inject({ method: 'HEAD', url: '/api/chat/id', headers: ada.headers })
    expect(answer.statusCode).toBe(404)
    expect((await ada.get('/api/chats')).json()).toMatchObject({ chats: [] })
  })

  it('is supported for probes', async () => {
    expect((await product.app.inject({ method: 'HEAD', url: '/healthz' })).statusCode).toBe(200)
  })
})
