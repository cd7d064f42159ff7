import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../testing/test-app.ts'

const folder = mkdtempSync(join(tmpdir(), 'yonder-web-'))
/** An installation may be in a folder with the name of the one for files with a hash. */
const webRoot = join(folder, 'assets', 'web')
const host = { host: 'localhost:3000' }

let product: TestApp
beforeAll(async () => {
  mkdirSync(join(webRoot, 'assets'), { recursive: true })
  writeFileSync(join(webRoot, 'index.html'), '<!doctype html><title>Yonder</title>')
  writeFileSync(join(webRoot, 'assets', 'index-abc.js'), 'export {}')
  writeFileSync(join(webRoot, 'theme.js'), 'export {}')
  product = await openTestApp({ deps: { webRoot } })
})
afterAll(async () => {
  await product.close()
  rmSync(folder, { recursive: true })
})

it.each(['/', '/chat/abc', '/settings/bots', '/terms', '/no/such/page'])(
  'serves the page for %s',
  async (url) => {
    const answer = await product.app.inject({ url, headers: host })
    expect(answer.statusCode).toBe(200)
    expect(answer.body).toContain('<title>Yonder</title>')
    expect(answer.headers['cache-control']).toBe('no-cache')
  },
)

it.each(['/share/abc', '/share/abc?from=mail', '/share/'])(
  'serves the page for %s, which must not be cached or indexed',
  async (url) => {
    const answer = await product.app.inject({ url, headers: host })
    expect(answer.body).toContain('<title>Yonder</title>')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['x-robots-tag']).toBe('noindex, nofollow')
    const other = await product.app.inject({ url: '/shares', headers: host })
    expect(other.headers['x-robots-tag']).toBeUndefined()
  },
)

it('lets browsers cache files with a hash in their name', async () => {
  const answer = await product.app.inject({ url: '/assets/index-abc.js', headers: host })
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['cache-control']).toContain('immutable')
})

it('lets browsers cache no file whose content may change', async () => {
  const answer = await product.app.inject({ url: '/theme.js', headers: host })
  expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-cache'])
})

it.each(['GET', 'HEAD'] as const)('serves a file with a query to %s', async (method) => {
  const answer = await product.app.inject({ method, url: '/assets/index-abc.js?v=1', headers: host })
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toContain('javascript')
  expect(answer.body).toBe(method === 'GET' ? 'export {}' : '')
})

it('serves no file that was added after the start', async () => {
  writeFileSync(join(webRoot, 'assets', 'late-abc.js'), 'export {}')
  const answer = await product.app.inject({ url: '/assets/late-abc.js', headers: host })
  expect(answer.statusCode).toBe(404)
})

it.each([
  ['GET', '/api/nothing'],
  ['GET', '/api?of=nothing'],
  ['GET', '/assets/gone-abc.js'],
  ['GET', '/assets/..%2f..%2fetc%2fpasswd'],
  ['POST', '/'],
] as const)('never serves the page for %s %s', async (method, url) => {
  const answer = await product.app.inject({ method, url, headers: host })
  expect(answer.statusCode).toBe(404)
  expect(answer.json()).toMatchObject({ error: { code: 'not_found' } })
})
