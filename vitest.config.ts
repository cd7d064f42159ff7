import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Node 25 brought a storage of its own, which would stand in for the page's. */
const noNodeStorage = ['--no-experimental-webstorage'].filter((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag),
)

/** One run for all packages; `npx vitest run <file>` and `npx vitest --project web` narrow it down. */
export default defineConfig({
  test: {
    // Tests of real processes and clocks wait as much as they compute: one more than there are processors.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { test: { name: 'contract', root: path('contract'), environment: 'node' } },
      {
        test: {
          name: 'server',
          root: path('server'),
          environment: 'node',
          // The files that a worker runs share its modules, which keep nothing that a test can tell: what does is made by each test.
          isolate: false,
          globalSetup: [path('scripts/provide-test-database.mjs'), path('scripts/provide-test-programs.mjs')],
          // A first PGlite takes seconds on a busy machine.
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'web',
          root: path('web'),
          environment: 'happy-dom',
          execArgv: noNodeStorage,
          // One page for the files that a worker runs: making each its own takes longer than the tests.
          isolate: false,
          setupFiles: [path('web/testing/reset-modules.ts'), path('web/testing/set-up-browser-test.ts')],
          testTimeout: 10_000,
        },
      },
      {
        test: {
          name: 'scripts',
          root: path('scripts'),
          environment: 'node',
          include: ['**/*.test.mjs'],
        },
      },
    ],
  },
})
