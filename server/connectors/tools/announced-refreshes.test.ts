import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AnnouncedRefreshes } from './announced-refreshes.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function open() {
  const closing = new AbortController()
  const running: (() => void)[] = []
  const seen: string[] = []
  const errors: unknown[] = []
  const refreshes = new AnnouncedRefreshes<string>({
    minPauseMs: 100,
    maxPauseMs: 1_000,
    refresh: (subject) => {
      seen.push(subject)
      return new Promise((resolve) => running.push(resolve))
    },
    onError: (error) => errors.push(error),
    closing: closing.signal,
  })
  return {
    refreshes,
    seen,
    closing,
    announce: (times = 1) => {
      for (let count = 0; count < times; count++) refreshes.announce('a', 'a')
    },
    pass: (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds),
    finish: async () => {
      running.shift()?.()
      await vi.advanceTimersByTimeAsync(0)
    },
  }
}

describe('a list whose server announces changes', () => {
  it('is refreshed once for a thousand announcements', async () => {
    const { announce, pass, seen, finish } = open()
    announce(1_000)
    expect(seen).toEqual([])
    await pass(100)
    expect(seen).toEqual(['a'])
    await finish()
    await pass(10_000)
    expect(seen).toEqual(['a'])
  })

  it('is refreshed once more for all announcements during a refresh', async () => {
    const { announce, pass, seen, finish } = open()
    announce()
    await pass(100)
    announce(1_000)
    await pass(10_000)
    expect(seen).toEqual(['a'])
    await finish()
    await pass(200)
    expect(seen).toEqual(['a', 'a'])
  })

  it('is refreshed more and more rarely while the announcements go on, and at once again after a pause', async () => {
    const { announce, pass, seen, finish } = open()
    const count = async (milliseconds: number): Promise<number> => {
      const before = seen.length
      for (let passed = 0; passed < milliseconds; passed += 10) {
        announce()
        await pass(10)
        await finish()
      }
      return seen.length - before
    }
    // After 100, 200, 400, 800, then every 1,000 ms.
    expect(await count(1_600)).toBe(4)
    expect(await count(5_000)).toBe(5)
    await pass(5_000)
    await finish()
    await pass(2_000)
    const before = seen.length
    announce()
    await pass(100)
    expect(seen).toHaveLength(before + 1)
  })

  it('does not delay the lists of others', async () => {
    const { refreshes, announce, pass, seen } = open()
    announce()
    await pass(100)
    refreshes.announce('b', 'b')
    await pass(100)
    expect(seen).toEqual(['a', 'b'])
  })

  it('is not refreshed after the process has begun to stop', async () => {
    const { announce, pass, seen, closing } = open()
    announce()
    closing.abort()
    await pass(1_000)
    expect(seen).toEqual([])
  })
})
