import { vi } from 'vitest'

// The files that a worker runs share its page, but what a module has kept in mind ends with its file.
vi.resetModules()
