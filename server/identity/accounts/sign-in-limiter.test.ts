import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createErrorHandler } from '../../http/error-handler.ts'
import { registerRateLimits } from '../../http/rate-limits.ts'
import { createSignInLimiter } from './sign-in-limiter.ts'

const minuteMs = 60_000

describe('the limit of sign-in attempts', () => {
  let app: FastifyInstance
  let time: number
  let waits: number[]

  beforeEach(async () => {
    time = 1_000_000
    waits = []
    app = Fastify({ trustProxy: true })
    app.setErrorHandler(createErrorHandler(() => null))
    await registerRateLimits(app)
    const signInLimiter = createSignInLimiter(app, {
      perMinute: 20,
      now: () => time,
      wait: async (milliseconds) => waits.push(milliseconds),
    })
    app.post<{ Querystring: { email?: string; right?: string } }>('/attempt', async (request, reply) => {
      const { email = null, right } = request.query
      return { result: (await signInLimiter.attempt(reply, email, async () => right)) ?? 'wrong' }
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
