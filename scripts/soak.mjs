import { runTool } from '../bin/run-command.mjs'
import { setUp } from './setup.mjs'

// Runs the tests with random histories thousands of times, with a new seed, and plays each failure of the database and of
// a server many times, and kills a server at every step of an upload, of an import and of a queue: `npm run soak`, or `npm run soak 10000 50`.
await setUp()
process.env['SOAK_RUNS'] = process.argv[2] ?? '2000'
process.env['FAULT_ROUNDS'] = process.argv[3] ?? '20'
const { code } = await runTool('vitest/vitest.mjs', [
  'run',
  'server/models/strict-providers.test.ts',
  'server/completions/queue/queue-model.test.ts',
  'server/completions/queue/killed-queues.test.ts',
  'server/database-faults.test.ts',
  'server/files/killed-uploads.test.ts',
  'server/imports/killed-imports.test.ts',
  '--testTimeout=1800000',
])
process.exitCode = code
