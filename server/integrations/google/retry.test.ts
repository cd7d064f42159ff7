import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { provideGmail } from '../../testing/google/provide-gmail.ts'
import { openGoogleClient } from '../../testing/google/google-client.ts'
import { createGmailConnector } from '../google-connectors.ts'
import type { GoogleLimits } from './retry.ts'

const { gmail } = provideGmail()
const method = 'gmail.users.labels.list'

beforeEach(() => {
  // Delays then do not vary.
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => {
  vi.restoreAllMocks()
})

async function listLabels(limits: Partial<GoogleLimits>): Promise<void> {
  const client = await openGoogleClient(createGmailConnector, gmail.api, {
    limits: { maxRetryDelayMs: 8_000, ...limits },
  })
  gmail.api.fail({ method, response: 503, times: 10 })
  await client.call('list_labels', {})
  await client.close()
}

it.each([
  [1, 300],
  [2, 900],
])(
  'waits `retryDelayMs` before the first of %d retries, and twice as long before the next',
  async (maxRetries, waitMs) => {
    // Loads what the first call loads.
    await gmail.call('list_labels', {})
    const start = performance.now()
    await listLabels({ retryDelayMs: 300, maxRetries })
    const durationMs = performance.now() - start
    expect(gmail.api.count(method)).toBe(maxRetries + 2)
    expect(durationMs).toBeGreaterThan(waitMs - 10)
    expect(durationMs).toBeLessThan(waitMs * 1.9)
  },
)

it('sends no retry that could start later than `maxRetryMs`', async () => {
  await listLabels({ retryDelayMs: 300, maxRetryMs: 350 })
  expect(gmail.api.count(method)).toBe(1)
})
