import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Node 25 and newer have a web storage of their own, which would replace that of the page. */
const noNodeStorage = ['--no-experimental-webstorage'].filter((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag),
)

// The web app sends the browser's time zone unless it is UTC. The expected requests must not depend on the machine.
process.env['TZ'] = 'UTC'

declare module 'vitest' {
  interface ProvidedContext {
    readonly maxWaitMs: number
  }
}

const maxWaitMs = 30_000

/**
 * Waiting for a state ends when it is reached; how long that takes says only how busy the machine is. These limits end a test
 * that hangs, so they hold for every wait, and no test needs its own.
 */
const waits = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: maxWaitMs } },
  provide: { maxWaitMs },
  setupFiles: [path('scripts/set-up-waits.mjs')],
}

/** One run for all packages; `npx vitest run <file>` and `npx vitest --project web` narrow it down. */
export default defineConfig({
  test: {
    // One more than there are processors, because some tests wait for processes and clocks.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { test: { name: 'contract', root: path('contract'), environment: 'node', ...waits } },
      {
        test: {
          name: 'server',
          root: path('server'),
          environment: 'node',
          // The test files of a worker share its modules. The modules have no state of their own that affects a test.
          isolate: false,
          globalSetup: [path('scripts/provide-test-database.mjs'), path('scripts/provide-test-programs.mjs')],
          ...waits,
        },
      },
      {
        test: {
          name: 'web',
          root: path('web'),
          environment: 'happy-dom',
          execArgv: noNodeStorage,
          // The test files of a worker share one page, because creating a page takes longer than the tests of a file.
          isolate: false,
          ...waits,
          setupFiles: [
            ...waits.setupFiles,
            path('web/testing/reset-page.ts'),
            path('web/testing/set-up-browser-test.ts'),
          ],
        },
      },
      { test: { name: 'bench', root: path('bench'), environment: 'node', ...waits } },
      { test: { name: 'bin', root: path('bin'), environment: 'node', include: ['*.test.mjs'], ...waits } },
      {
        test: {
          name: 'scripts',
          root: path('scripts'),
          environment: 'node',
          include: ['**/*.test.mjs'],
          ...waits,
        },
      },
    ],
  },
})
