import '../bin/ensure-node.mjs'
import { existsSync } from 'node:fs'
import { rootFolder, runNpm } from '../bin/run-command.mjs'
import { findInstallReason } from './find-install-reason.mjs'

/** Installs the packages that are missing. Silent and fast when there are none. Exits with a message when it fails. */
export async function setUp() {
  const reason = findInstallReason(rootFolder)
  if (reason === undefined) return
  console.log(`Installing packages: ${reason}.`)
  // `ci` would delete an existing node_modules. It fails when the lock file is outdated; then `install` is tried.
  const commands = existsSync(`${rootFolder}node_modules`) ? ['install'] : ['ci', 'install']
  for (const command of commands) {
    const { code } = await runNpm([command, '--include=dev'])
    if (code === 0) return
    console.log(`npm ${command} failed (code ${code}); its message is printed above.`)
  }
  console.error('\nThe packages could not be installed.')
  process.exit(1)
}
