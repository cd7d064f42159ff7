import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { registerClientAddresses } from '../../http/client-address.ts'
import { createErrorHandler } from '../../http/error-handler.ts'
import { createSignInLimiter } from './sign-in-limiter.ts'

const minuteMs = 60_000

describe('the limit of sign-in attempts', () => {
  let app: FastifyInstance
  let time: number
  let waits: number[]
  /** Ends the checks of `/slow` that run. */
  let held: (() => void)[]
  let running: number

  beforeEach(async () => {
    time = 1_000_000
    waits = []
    held = []
    app = Fastify()
    app.setErrorHandler(createErrorHandler(() => null))
    registerClientAddresses(app, ['loopback'])
    const signInLimiter = createSignInLimiter({
      perMinute: 20,
      now: () => time,
      wait: async (milliseconds) => waits.push(milliseconds),
    })
    app.post<{ Querystring: { email?: string; right?: string } }>('/attempt', async (request, reply) => {
      const { email = null, right } = request.query
      return { result: (await signInLimiter.attempt(reply, email, async () => right)) ?? 'wrong' }
    })
    app.post<{ Querystring: { error?: string } }>('/create', async (request, reply) =>
      signInLimiter.create(reply, async () => request.query),
    )
    running = 0
    app.post<{ Querystring: { right?: string } }>('/slow', async ({ query: { right } }, reply) => {
      const check = () =>
        new Promise<string | undefined>((resolve) => {
          running += 1
          held.push(() => resolve(right))
        })
      return { result: (await signInLimiter.attempt(reply, null, check)) ?? 'wrong' }
    })
  })
  afterEach(() => app.close())

  const attempt = (query: string, address = '192.0.2.1') =>
    app.inject({ method: 'POST', url: `/attempt?${query}`, headers: { 'x-forwarded-for': address } })
  async function fail(count: number, email = 'ada@example.com'): Promise<void> {
    for (let index = 0; index < count; index += 1) await attempt(`email=${email}`, `192.0.2.${index}`)
  }

  it('slows down an account after five failures from any addresses, by eight seconds at most', async () => {
    await fail(12)
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
  })

  it('never locks an account: the right password signs in and ends the slow-down', async () => {
    await fail(100)
    waits.length = 0
    const right = await attempt('email=ada@example.com&right=yes', '198.51.100.1')
    expect(right.json()).toEqual({ result: 'yes' })
    expect(waits).toEqual([8_000])
    await fail(5)
    expect(waits).toEqual([8_000])
  })

  it('slows down no other account, and unknown ones like known ones', async () => {
    await fail(6, 'unknown@example.com')
    expect(waits).toEqual([500])
    await attempt('email=grace@example.com', '198.51.100.1')
    expect(waits).toEqual([500])
  })

  it('counts concurrent attempts before their results are known', async () => {
    await Promise.all(
      Array.from({ length: 7 }, (_, index) => attempt('email=ada@example.com', `192.0.2.${index}`)),
    )
    expect(waits).toEqual([500, 1_000])
  })

  it('forgets failures after fifteen minutes without one', async () => {
    await fail(8)
    waits.length = 0
    time += 15 * minuteMs
    await fail(1)
    expect(waits).toEqual([])
  })

  it('never refuses right passwords of one address, however many there are', async () => {
    const statuses = new Set<number>()
    for (let index = 0; index < 200; index += 1)
      statuses.add((await attempt(`email=user${index}@example.com&right=yes`)).statusCode)
    expect([...statuses]).toEqual([200])
    for (let index = 0; index < 20; index += 1) await attempt(`email=user${index}@example.com`)
    const refused = await attempt('email=ada@example.com&right=yes')
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '60'])
    time += minuteMs
    expect((await attempt('email=ada@example.com&right=yes')).statusCode).toBe(200)
  })

  it('lets no more attempts of an address run at once than may fail, and the others wait', async () => {
    const slow = (right: boolean) =>
      app.inject({ method: 'POST', url: `/slow${right ? '?right=yes' : ''}`, remoteAddress: '192.0.2.1' })
    const responses = Array.from({ length: 60 }, (_, index) => slow(index % 2 === 0))
    await expect.poll(() => running).toBe(20)
    while (held.length > 0) {
      for (const end of held.splice(0)) end()
      await new Promise(setImmediate)
    }
    const statuses = (await Promise.all(responses)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0)
    // At most twenty of those that ran have failed, and nobody was refused before that.
    const wrong = (await Promise.all(responses)).filter(({ body }) => body.includes('wrong'))
    expect(wrong).toHaveLength(20)

    time += minuteMs
    running = 0
    const right = Array.from({ length: 60 }, () => slow(true))
    await expect.poll(() => running).toBe(20)
    for (let round = 0; round < 60; round += 1) {
      for (const end of held.splice(0)) end()
      await new Promise(setImmediate)
    }
    expect(running).toBe(60)
    expect(new Set((await Promise.all(right)).map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  })

  it('lets many users of one address create accounts, but not any number', async () => {
    const create = async (query = '') =>
      (await app.inject({ method: 'POST', url: `/create${query}` })).statusCode
    for (let index = 0; index < 200; index += 1) expect(await create()).toBe(200)
    expect(await create()).toBe(429)
    time += minuteMs
    for (let index = 0; index < 20; index += 1) expect(await create('?error=taken')).toBe(200)
    expect(await create()).toBe(429)
  })

  it.each<[string, (port: number) => string]>([
    ['IPv4', (port) => `203.0.113.7:${port}`],
    ['IPv6', (port) => `[2001:db8:7::${port}]:${port}`],
    ['quoted IPv6', (port) => `"[2001:db8:7::${port}]:${port}"`],
    ['mapped IPv4', (port) => `[::ffff:203.0.113.7]:${port}`],
    ['IPv6 in brackets', (port) => `[2001:db8:7::${port}]`],
  ])('counts an address with different ports as one: %s', async (_name, toAddress) => {
    for (let port = 1; port <= 20; port += 1)
      expect((await attempt('', toAddress(port))).statusCode).toBe(200)
    expect((await attempt('', toAddress(21))).statusCode).toBe(429)
    expect((await attempt('', `203.0.113.8:1, 198.51.100.1`)).statusCode).toBe(200)
  })

  it('counts an IPv6 network of 64 bits as one address, and mapped addresses as IPv4', async () => {
    const statusOf = async (address: string) => (await attempt('', address)).statusCode
    for (let index = 0; index < 20; index += 1) expect(await statusOf(`2001:db8:1:2::${index}`)).toBe(200)
    expect(await statusOf('2001:db8:1:2:ffff::1')).toBe(429)
    expect(await statusOf('2001:db8:1:3::1')).toBe(200)
    for (let index = 0; index < 10; index += 1) expect(await statusOf('192.0.2.9')).toBe(200)
    for (let index = 0; index < 10; index += 1) expect(await statusOf('::ffff:192.0.2.9')).toBe(200)
    expect(await statusOf('192.0.2.9')).toBe(429)
  })
})
