import { describe, expect, it } from 'vitest'
import { ConcurrencyLimiter } from './concurrency-limiter.ts'

const never = new AbortController().signal
const one = [{ key: 'a', maxConcurrent: 1 }]

describe('ConcurrencyLimiter', () => {
  it('runs at most the given number at once, and the next ones in order', async () => {
    const limiter = new ConcurrencyLimiter()
    const order: string[] = []
    const first = await limiter.acquire(one, never)
    const second = limiter.acquire(one, never).then((acquired) => (order.push('second'), acquired))
    const third = limiter.acquire(one, never).then((acquired) => (order.push('third'), acquired))
    await Promise.resolve()
    expect(order).toEqual([])
    first.release()
    first.release()
    ;(await second).release()
    ;(await third).release()
    expect(order).toEqual(['second', 'third'])
    expect([first.waited, (await second).waited]).toEqual([false, true])
  })

  it('does not delay calls under other keys', async () => {
    const limiter = new ConcurrencyLimiter()
    await limiter.acquire(one, never)
    void limiter.acquire(one, never)
    const other = await limiter.acquire([{ key: 'b', maxConcurrent: 1 }], never)
    expect(other.release).toBeTypeOf('function')
  })

  it('applies all limits together', async () => {
    const limiter = new ConcurrencyLimiter()
    const user = { key: 'user', maxConcurrent: 2 }
    await limiter.acquire([{ key: 'a', maxConcurrent: 5 }, user], never)
    await limiter.acquire([{ key: 'b', maxConcurrent: 5 }, user], never)
    let ran = false
    void limiter.acquire([{ key: 'c', maxConcurrent: 5 }, user], never).then(() => (ran = true))
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(ran).toBe(false)
  })

  it('removes a caller that aborts from the queue', async () => {
    const limiter = new ConcurrencyLimiter()
    const { release } = await limiter.acquire(one, never)
    const controller = new AbortController()
    const waiting = limiter.acquire(one, controller.signal)
    controller.abort()
    await expect(waiting).rejects.toThrow()
    release()
    expect((await limiter.acquire(one, never)).waited).toBe(false)
    const other = limiter.acquire([{ key: 'z', maxConcurrent: 1 }], AbortSignal.abort())
    await expect(other).rejects.toThrow()
  })
})
