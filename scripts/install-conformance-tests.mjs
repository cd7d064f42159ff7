import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { rootFolder, runCommand } from '../bin/run-command.mjs'

const folder = join(rootFolder, 'conformance')

/**
 * Installs the MCP conformance tests, with the Node version that they need, in their own folder: about 190 MB, once.
 * Returns whether they are installed. Without them, the conformance tests are skipped.
 *
 * @returns {Promise<boolean>}
 */
export async function installConformanceTests() {
  const isInstalled = () =>
    existsSync(join(folder, 'node_modules', '.bin', 'node')) &&
    existsSync(join(folder, 'node_modules', '@modelcontextprotocol', 'conformance'))
  if (isInstalled()) return true
  console.log('Installing the MCP conformance tests.')
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
  if (isInstalled()) return true
  console.log('The MCP conformance tests could not be installed and are skipped.')
  return false
}
