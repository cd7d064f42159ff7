import { existsSync } from 'node:fs'
import { runCommand } from '../bin/run-command.mjs'

let updated = false

/** Whether this process can install Debian packages. */
export function canInstallSystemPackages() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
}

/**
 * Installs a Debian package, if this process can. Returns whether it was installed.
 *
 * @param {string} name
 */
export async function installSystemPackage(name) {
  if (!canInstallSystemPackages()) return false
  console.log(`Installing ${name} with apt-get; this can take a minute or two.`)
  const options = { quiet: true, env: { DEBIAN_FRONTEND: 'noninteractive' } }
  if (!updated) updated = (await runCommand('apt-get', ['update', '-q'], options)).code === 0
  const parameters = ['install', '-y', '-q', '--no-install-recommends', name]
  const { code, output } = await runCommand('apt-get', parameters, options)
  if (code !== 0) console.log(`apt-get could not install ${name}:\n${output.trimEnd()}`)
  return code === 0
}
