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
  // A test of several screens with axe takes up to 15 s on two idle cores, and the machine may be far busier.
  timeout: 120_000,
  globalTimeout: 40 * 60_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    timezoneId: 'UTC',
    // Animations cost a frame every 16 ms. A test of motion enables it with `page.emulateMedia`.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(chromium === undefined ? {} : { executablePath: chromium }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        // One process less for each browser. Without a GPU, that process would only copy pictures.
        '--in-process-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--disable-quic',
        // All pages of these tests belong to one site, so they share processes.
        '--disable-site-isolation-trials',
        '--renderer-process-limit=2',
      ],
    },
  },
})
