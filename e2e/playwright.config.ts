import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { findChromium } from '../scripts/find-chromium.mjs'

const chromium = findChromium()

/** Browser tests against the built product; each worker starts its own (see `support/servers.ts`). */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../test-results',
  fullyParallel: true,
  // Tests wait for pages as much as they compute.
  workers: availableParallelism() + 2,
  timeout: 30_000,
  globalTimeout: 30 * 60_000,
  expect: { timeout: 7_000 },
  reporter: 'list',
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    timezoneId: 'UTC',
    // Tests of motion ask for it; in the others it costs a frame every 16 ms.
    contextOptions: { reducedMotion: 'reduce' },
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
        // Every page of these tests is of one site: no second process for each of them, and none in reserve.
        '--disable-site-isolation-trials',
        '--renderer-process-limit=2',
      ],
    },
  },
})
