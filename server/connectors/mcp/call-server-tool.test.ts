import { afterEach, expect, it, vi } from 'vitest'
import { CallClock } from './call-server-tool.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('measures the time of a call even if the system clock changes meanwhile', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const clock = new CallClock({ idle: 60_000, total: 300_000 }, new AbortController().signal)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(clock.elapsed).toBeGreaterThanOrEqual(0)
  expect(clock.elapsed).toBeLessThan(60_000)
  clock.pause()
  vi.setSystemTime(Date.now() + 7_200_000)
  clock.resume()
  clock.stop()
  expect(clock.elapsed).toBeGreaterThanOrEqual(0)
  expect(clock.elapsed).toBeLessThan(60_000)
  expect(clock.timedOut).toBe(false)
})
