import { rootFolder, runCommand } from './run-command.mjs'

// In a process of its own, so that what set-up and builders needed does not stay in the server's memory.
const { code } = await runCommand(process.execPath, ['scripts/build.mjs'])
if (code !== 0) process.exit(code)

// The server runs in this very process: signals reach it directly and nothing waits beside it.
process.chdir(rootFolder)
process.env['NODE_ENV'] = 'production'
await import(new URL('../server/dist/main.js', import.meta.url).href)
