import { runChecks } from './check-steps.mjs'
import { setUp } from './setup.mjs'

// `npm run check -- types` runs only the checks whose name contains "types".
await setUp()
const failed = await runChecks(process.argv[2])
if (failed.length > 0) {
  console.log(`\nFailed: ${failed.join(', ')}.`)
  process.exitCode = 1
}
