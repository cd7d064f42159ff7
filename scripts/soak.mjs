import { runTool } from '../bin/run-command.mjs'
import { setUp } from './setup.mjs'

// Runs the tests with random histories thousands of times, with a new seed: `npm run soak` or `npm run soak 10000`.
await setUp()
process.env['SOAK_RUNS'] = process.argv[2] ?? '2000'
const { code } = await runTool('vitest/vitest.mjs', [
  'run',
  'server/models/strict-providers.test.ts',
  '--testTimeout=1800000',
])
process.exitCode = code
