import { inject, vi } from 'vitest'

// `expect.poll` takes its limit from vitest.config.ts. These two have no setting for it.
const { waitFor, waitUntil } = vi
const limit = { timeout: inject('maxWaitMs') }
vi.waitFor = (check, options) => waitFor(check, options ?? limit)
vi.waitUntil = (check, options) => waitUntil(check, options ?? limit)
