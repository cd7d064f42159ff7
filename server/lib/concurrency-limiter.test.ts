import { describe, expect, it } from 'vitest'
import { AppError } from './app-error.ts'
import { ConcurrencyLimiter } from './concurrency-limiter.ts'
import { RetryGate } from '../connectors/mcp/backoff.ts'

const never = new AbortController().signal
const one = [{ key: 'a', most: 1 }]

describe('ConcurrencyLimiter', () => {
  it('lets so many run at once, and the next in order', async () => {
    const slots = new ConcurrencyLimiter()
    const order: string[] = []
    const first = await slots.take(one, never)
    const second = slots.take(one, never).then((give) => (order.push('second'), give))
    const third = slots.take(one, never).then((give) => (order.push('third'), give))
    await Promise.resolve()
    expect(order).toEqual([])
    first()
    first()
    ;(await second)()
    ;(await third)()
    expect(order).toEqual(['second', 'third'])
  })

  it('holds nobody up because of another', async () => {
    const slots = new ConcurrencyLimiter()
    await slots.take(one, never)
    void slots.take(one, never)
    const other = await slots.take([{ key: 'b', most: 1 }], never)
    expect(other).toBeTypeOf('function')
  })

  it('counts all limits together', async () => {
    const slots = new ConcurrencyLimiter()
    const user = { key: 'user', most: 2 }
    await slots.take([{ key: 'a', most: 5 }, user], never)
    await slots.take([{ key: 'b', most: 5 }, user], never)
    let ran = false
    void slots.take([{ key: 'c', most: 5 }, user], never).then(() => (ran = true))
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(ran).toBe(false)
  })

  it('lets whoever has stopped leave the line', async () => {
    const slots = new ConcurrencyLimiter()
    const give = await slots.take(one, never)
    const controller = new AbortController()
    const waiting = slots.take(one, controller.signal)
    controller.abort()
    await expect(waiting).rejects.toThrow()
    give()
    expect(await slots.take(one, never)).toBeTypeOf('function')
    await expect(slots.take([{ key: 'z', most: 1 }], AbortSignal.abort())).rejects.toThrow()
  })
})

describe('RetryGate', () => {
  it('waits longer after every failure, up to a minute, and not at all after a success', () => {
    let now = 0
    const gate = new RetryGate(() => now)
    const error = new AppError('upstream_unreachable', 'The server cannot be reached.')
    const pauses: number[] = []
    for (let failure = 0; failure < 10; failure++) {
      gate.failed('a', error)
      const from = now
      expect(() => gate.require('a')).toThrow(error)
      while (now - from < 100_000) {
        now += 50
        try {
          gate.require('a')
          break
        } catch {
          // The pause lasts.
        }
      }
      pauses.push(now - from)
    }
    expect(pauses[0]).toBeLessThanOrEqual(1_300)
    expect(pauses[3]).toBeGreaterThanOrEqual(6_000)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(75_050)
    gate.failed('a', error)
    expect(() => gate.require('b')).not.toThrow()
    gate.reset('a')
    expect(() => gate.require('a')).not.toThrow()
  })
})
