import { runBrowserTests } from './run-browser-tests.mjs'
import { setUp } from './setup.mjs'

// Runs only the browser tests. Arguments are passed to Playwright: `npm run e2e -- chat.spec.ts --headed`.
await setUp()
process.exitCode = (await runBrowserTests(process.argv.slice(2))) ?? 1
