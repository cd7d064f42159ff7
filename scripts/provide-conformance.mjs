import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { rootFolder, runCommand } from './run-command.mjs'

const folder = join(rootFolder, 'conformance')

/**
 * Installs the protocol's own tests of clients, with the Node that they need, in a folder of their own: about 190 MB, once.
 * Answers whether they are there; without them their tests are skipped.
 *
 * @returns {Promise<boolean>}
 */
export async function provideConformance() {
  const isThere = () =>
    existsSync(join(folder, 'node_modules', '.bin', 'node')) &&
    existsSync(join(folder, 'node_modules', '@modelcontextprotocol', 'conformance'))
  if (isThere()) return true
  console.log("Installing the protocol's own tests of clients")
  const parameters = [
    'ci',
    '--prefix',
    folder,
    '--ignore-scripts=false',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const npm = process.env['npm_execpath'] ?? ''
  await (npm.endsWith('npm-cli.js')
    ? runCommand(process.execPath, [npm, ...parameters])
    : runCommand('npm', parameters))
  if (isThere()) return true
  console.log('They could not be installed; their tests are skipped.')
  return false
}
