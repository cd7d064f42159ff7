import '../bin/ensure-node.mjs'
import { rootFolder, runCommand } from '../bin/run-command.mjs'

// In a separate process, so that the memory of the build is freed before the server starts.
const { code } = await runCommand(process.execPath, ['scripts/build.mjs'])
if (code !== 0) process.exit(code)

// The server runs in this process, so that signals reach it directly and no second process waits for it.
process.chdir(rootFolder)
process.env['NODE_ENV'] = 'production'
await import(new URL('../server/dist/main.js', import.meta.url).href)
