import { runBrowserTests } from './run-browser-tests.mjs'
import { setUp } from './setup.mjs'

// The browser tests alone: `npm run e2e -- chat.spec.ts --headed`, whatever Playwright takes.
await setUp()
process.exitCode = (await runBrowserTests(process.argv.slice(2))) ?? 1
