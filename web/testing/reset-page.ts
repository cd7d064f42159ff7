import { vi } from 'vitest'

// The test files of a worker share one page. Modules, globals, spies and timers are reset, so that no state passes from one
// file to the next.
vi.resetModules()
vi.unstubAllGlobals()
vi.restoreAllMocks()
vi.useRealTimers()
// SWR is not reset with the modules, and asks for nothing after a test that has ended offline.
dispatchEvent(new Event('online'))
