import { runTool } from '../bin/run-command.mjs'
import { setUp } from './setup.mjs'

// Runs a program in TypeScript: `node scripts/run.mjs server/seed.ts`.
await setUp()
const { code } = await runTool('tsx/dist/cli.mjs', process.argv.slice(2))
process.exitCode = code
