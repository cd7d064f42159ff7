import { buildStale } from './build.mjs'
import { provideChromium } from './provide-chromium.mjs'
import { runTool } from './run-command.mjs'
import { setUp } from './setup.mjs'

// The browser tests alone: `npm run e2e -- chat.spec.ts --headed`, whatever Playwright takes.
await setUp()
const chromium = await provideChromium()
if (chromium === undefined) process.exit(1)
await buildStale()
const { code } = await runTool(
  '@playwright/test/cli.js',
  ['test', '--config=e2e/playwright.config.ts', ...process.argv.slice(2)],
  { env: { CHROMIUM_PATH: chromium } },
)
process.exitCode = code
