import { vi } from 'vitest'

// The test files of a worker share one page. Modules are reset, so that no state passes from one file to the next.
vi.resetModules()
