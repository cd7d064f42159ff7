import { vi } from 'vitest'

// The files that a worker runs share its page. Modules are reset, so that no state outlives its file.
vi.resetModules()
