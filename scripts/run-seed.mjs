import { runTool } from '../bin/run-command.mjs'
import { setUp } from './setup.mjs'

await setUp()
const { code } = await runTool('tsx/dist/cli.mjs', ['server/seed.ts', ...process.argv.slice(2)])
process.exitCode = code
