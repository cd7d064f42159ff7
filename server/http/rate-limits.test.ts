import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../testing/test-app.ts'
import { networkOf, siteOf } from './rate-limits.ts'

let product: TestApp
beforeAll(async () => {
  product = await openTestApp({
    environment: { RATE_LIMIT_WRITES: '3', RATE_LIMIT_READS: '4', RATE_LIMIT_COMPLETIONS: '1' },
  })
})
afterAll(() => product.close())

it('limits the writes of one user per minute, over all calls, and no other user', async () => {
  const ada = await product.signIn('Ada')
  const grace = await product.signIn('Grace')
  const bot = (name: string) => ({ name, model: 'demo' })
  expect((await ada.post('/api/bot', bot('one'))).statusCode).toBe(201)
  expect((await ada.put('/api/bot/one', bot('one'))).statusCode).toBe(200)
  expect((await ada.delete('/api/bot/one')).statusCode).toBe(204)

  const refused = await ada.post('/api/bot', bot('two'))
  expect(refused.statusCode).toBe(429)
  expect(refused.json()).toMatchObject({ error: { code: 'rate_limited' } })
  expect(refused.headers['retry-after']).toBeDefined()
  expect((await ada.get('/api/bots')).json()).toEqual([])

  expect((await grace.post('/api/bot', bot('one'))).statusCode).toBe(201)
})

it('limits the reads of one user per minute, over all calls, and no other user', async () => {
  const ada = await product.signIn('Ada')
  const grace = await product.signIn('Grace')
  for (const path of ['/api/bots', '/api/chats', '/api/bots', '/api/shares'])
    expect((await ada.get(path)).statusCode).toBe(200)
  const refused = await ada.get('/api/bots')
  expect(refused.statusCode).toBe(429)
  expect(refused.headers['retry-after']).toBeDefined()
  expect((await ada.post('/api/bot', { name: 'one', model: 'demo' })).statusCode).toBe(201)
  expect((await grace.get('/api/bots')).statusCode).toBe(200)
})

it('counts the reservation of a chat as a write, and reserves nothing beyond the limit', async () => {
  const ada = await product.signIn('Ada')
  for (const _ of [1, 2, 3]) expect((await ada.get('/api/chat/id')).statusCode).toBe(200)
  expect((await ada.get('/api/chat/id')).statusCode).toBe(429)
  expect((await ada.get('/api/chats')).json()).toMatchObject({ total: 3 })
})

it('counts a call with its own limit separately from other writes', async () => {
  const ada = await product.signIn('Ada')
  const send = () => ada.post('/api/chat/completions', { chatId: 'nowhere', botName: 'x', content: 'Hello' })
  expect((await send()).statusCode).toBe(404)
  expect((await send()).statusCode).toBe(429)
  for (const _ of [1, 2, 3])
    expect((await ada.post('/api/chat/stop', { chatId: 'nowhere' })).statusCode).toBe(404)
  expect((await ada.post('/api/chat/stop', { chatId: 'nowhere' })).statusCode).toBe(429)
})

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:db8:1:2::1', '2001:db8:1:2::'],
  ['2001:db8:1:3::1', '2001:db8:1:3::'],
  ['::1', '::'],
])('counts the address %s as %s', (address, network) => {
  expect(networkOf({ client: { address, peer: address, isPeerTrusted: false } })).toBe(network)
})

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
  ['2001:db8:2::1', '2001:db8:2::'],
])('counts the site of the address %s as %s', (address, site) => {
  expect(siteOf({ client: { address, peer: address, isPeerTrusted: false } })).toBe(site)
})

it('allows all networks of an IPv6 site together eight times the limit of one', async () => {
  const limited = await openTestApp({
    environment: { RATE_LIMIT_SHARE_READS: '2', TRUSTED_PROXIES: '127.0.0.1' },
  })
  const statusFrom = async (address: string) => {
    const headers = { host: 'localhost:3000', 'x-forwarded-for': address }
    return (await limited.app.inject({ url: '/api/share/unknown', headers })).statusCode
  }
  const statuses: number[] = []
  for (let network = 1; network <= 17; network += 1)
    statuses.push(await statusFrom(`2001:db8:1:${network.toString(16)}::1`))
  const elsewhere = [await statusFrom('2001:db8:2:1::1'), await statusFrom('192.0.2.1')]
  await limited.close()
  expect(statuses).toEqual([...Array.from({ length: 16 }, () => 404), 429])
  expect(elsewhere).toEqual([404, 404])
})

it('refuses a request beyond the limit before its body is read', async () => {
  const ada = await product.signIn('Ada')
  for (const name of ['one', 'two', 'three']) await ada.post('/api/bot', { name, model: 'demo' })
  // Reading this body would fail with another status.
  const refused = await product.app.inject({
    method: 'POST',
    url: '/api/bot',
    headers: { host: 'localhost:3000', ...ada.headers, 'content-type': 'application/json' },
    payload: '{ no JSON',
  })
  expect(refused.statusCode).toBe(429)
})

it('counts reads of shared chats by network', async () => {
  const limited = await openTestApp({
    environment: { RATE_LIMIT_SHARE_READS: '2', TRUSTED_PROXIES: '127.0.0.1' },
  })
  const statusFrom = async (address: string) => {
    const headers = { host: 'localhost:3000', 'x-forwarded-for': address }
    return (await limited.app.inject({ url: '/api/share/unknown', headers })).statusCode
  }
  const statuses = [
    await statusFrom('2001:db8:1:2::1'),
    await statusFrom('2001:db8:1:2::2'),
    await statusFrom('2001:db8:1:2:9::3'),
    await statusFrom('2001:db8:1:3::1'),
  ]
  await limited.close()
  expect(statuses).toEqual([404, 404, 429, 404])
})
