import { runChecks } from './check-steps.mjs'
import { setUp } from './setup.mjs'

await setUp()
const failed = await runChecks()
if (failed.length > 0) {
  console.log(`\nFailed: ${failed.join(', ')}.`)
  process.exitCode = 1
}
