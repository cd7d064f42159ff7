import '../bin/ensure-node.mjs'
import { existsSync } from 'node:fs'
import { rootFolder, runNpm } from '../bin/run-command.mjs'
import { findInstallReason } from './find-install-reason.mjs'

/**
 * Installs the packages that are missing. Silent and fast when there are none. Exits with a message when it fails.
 * A first installation without those of tests and checks takes half the time; a later one never removes them.
 */
export async function setUp({ withTests = true } = {}) {
  const reason = findInstallReason(rootFolder, { withTests })
  if (reason === undefined) return
  console.log(`Installing packages: ${reason}.`)
  // `ci` would delete an existing node_modules. It fails when the lock file is outdated; then `install` is tried.
  const commands = existsSync(`${rootFolder}node_modules`) ? ['install'] : ['ci', 'install']
  const omitsTests = !withTests && !existsSync(`${rootFolder}node_modules/vitest`)
  for (const command of commands) {
    const { code } = await runNpm([command, omitsTests ? '--omit=dev' : '--include=dev'])
    if (code === 0) return
    console.log(`npm ${command} failed (code ${code}); its message is printed above.`)
  }
  console.error('\nThe packages could not be installed.')
  process.exit(1)
}
