import '../bin/ensure-node.mjs'
import { existsSync } from 'node:fs'
import { rootFolder, runCommand } from '../bin/run-command.mjs'

const program = `${rootFolder}server/dist/yonder.js`

// Builds only when there is no build, because a new one would replace the files of a running server.
if (!existsSync(program)) {
  const { code } = await runCommand(process.execPath, ['scripts/build.mjs'])
  if (code !== 0) process.exit(code)
}
const { code } = await runCommand(process.execPath, [program, ...process.argv.slice(2)])
process.exitCode = code
