import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openGoogleClient } from '../../testing/google/google-client.ts'
import { provideGmail } from '../../testing/google/provide-gmail.ts'
import { createGmailConnector } from '../google-connectors.ts'
import type { GoogleLimits } from './retry.ts'

const { gmail } = provideGmail()
const method = 'gmail.users.labels.list'

/** The delays in milliseconds. They pass at once, on a clock that only they advance. */
const delays: number[] = []

// The exports of the module itself are replaced: `vi.mock` has no effect when another test file of the same worker has
// loaded `retry.ts` before.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  delays.length = 0
  vi.spyOn(timers, 'setTimeout').mockImplementation(<T>(delay = 0, value?: T) => {
    delays.push(delay)
    vi.setSystemTime(Date.now() + delay)
    return Promise.resolve(value as T)
  })
  syncBuiltinESMExports()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

/** Sends a request that always fails. `random` is how far each delay is within its range: 0.5 means unchanged. */
async function listLabels(limits: Partial<GoogleLimits>, random = 0.5): Promise<void> {
  vi.spyOn(Math, 'random').mockReturnValue(random)
  const client = await openGoogleClient(createGmailConnector, gmail.api, {
    limits: { maxRetryDelayMs: 8_000, ...limits },
  })
  gmail.api.fail({ method, response: 503, times: 10 })
  await client.call('list_labels', {})
  await client.close()
}

it.each([
  [1, [300]],
  [2, [300, 600]],
  [3, [300, 600, 1_000]],
])('waits twice as long before each of %d retries, up to `maxRetryDelayMs`', async (maxRetries, expected) => {
  await listLabels({ retryDelayMs: 300, maxRetryDelayMs: 1_000, maxRetries })
  expect(delays).toEqual(expected)
  expect(gmail.api.count(method)).toBe(maxRetries + 1)
})

it.each([
  [0, 225],
  [1, 375],
])('varies a delay by at most a quarter: %d', async (random, expected) => {
  await listLabels({ retryDelayMs: 300, maxRetries: 1 }, random)
  expect(delays).toEqual([expected])
})

it.each([
  [374, 0],
  [375, 1],
  // The second retry follows 300 ms after the first failure, and its delay is at most 750 ms.
  [1_049, 1],
  [1_050, 2],
])('sends no retry that could start later than `maxRetryMs`: %d', async (maxRetryMs, retries) => {
  await listLabels({ retryDelayMs: 300, maxRetryMs })
  expect(delays).toHaveLength(retries)
  expect(gmail.api.count(method)).toBe(retries + 1)
})
