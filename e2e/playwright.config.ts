import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { findChromium } from '../scripts/find-chromium.mjs'

const chromium = findChromium()

/** Browser tests against the built product; each worker starts one of its own (see `fixtures.ts`). */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../test-results',
  fullyParallel: true,
  // Tests wait for pages as much as they compute.
  workers: availableParallelism() + 1,
  // On a shared machine a page may be starved for seconds: what fails there is asked once more, and reported as flaky.
  retries: process.env['CI'] === undefined ? 0 : 1,
  timeout: 30_000,
  globalTimeout: 30 * 60_000,
  expect: { timeout: 7_000 },
  reporter: 'list',
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    timezoneId: 'UTC',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(chromium === undefined ? {} : { executablePath: chromium }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--disable-quic',
      ],
    },
  },
})
