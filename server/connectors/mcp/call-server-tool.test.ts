import { afterEach, expect, it, vi } from 'vitest'
import { CallClock } from './call-server-tool.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('measures the time of a call even if the system clock changes meanwhile', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const clock = new CallClock({ maxCallIdleMs: 60_000, maxCallMs: 300_000 }, new AbortController().signal)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(clock.elapsedMs).toBeGreaterThanOrEqual(0)
  expect(clock.elapsedMs).toBeLessThan(60_000)
  clock.pause()
  vi.setSystemTime(Date.now() + 7_200_000)
  clock.resume()
  clock.stop()
  expect(clock.elapsedMs).toBeGreaterThanOrEqual(0)
  expect(clock.elapsedMs).toBeLessThan(60_000)
  expect(clock.timedOut).toBe(false)
})

it('restarts the idle time with every message about progress, but not the total time', () => {
  vi.useFakeTimers()
  const clock = new CallClock({ maxCallIdleMs: 60_000, maxCallMs: 300_000 }, new AbortController().signal)
  for (let passed = 0; passed < 5; passed++) {
    expect(clock.timedOut).toBe(false)
    clock.touch()
    vi.advanceTimersByTime(59_999)
  }
  clock.touch()
  vi.advanceTimersByTime(5)
  expect(clock.timedOut).toBe(true)
})

it('times a call out after the idle time without progress', () => {
  vi.useFakeTimers()
  const clock = new CallClock({ maxCallIdleMs: 60_000, maxCallMs: 300_000 }, new AbortController().signal)
  vi.advanceTimersByTime(59_999)
  expect(clock.timedOut).toBe(false)
  vi.advanceTimersByTime(1)
  expect(clock.timedOut).toBe(true)
})
