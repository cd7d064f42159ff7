import { runTool } from '../bin/run-command.mjs'
import { findChromium, headlessShell } from './find-chromium.mjs'
import { installSystemPackage } from './install-system-package.mjs'

/**
 * Finds or installs Chromium for the browser tests: the one of CHROMIUM_PATH, else the headless shell, which apt
 * installs where it can, else another Chromium, else Playwright's own. Returns its path, which is empty for
 * Playwright's own, or undefined when none could be installed.
 *
 * @returns {Promise<string | undefined>}
 */
export async function provideChromium() {
  const found = findChromium()
  if (found !== undefined && (process.env['CHROMIUM_PATH'] || found.endsWith(headlessShell))) return found
  if (await installSystemPackage(headlessShell)) return findChromium()
  if (found !== undefined) return found
  if (await installSystemPackage('chromium')) return findChromium()
  console.log('No Chromium found. Playwright downloads its own.')
  const { code } = await runTool('@playwright/test/cli.js', ['install', 'chromium'])
  if (code === 0) return ''
  console.error(`The browser tests need Chromium, which was not found on this machine. Install it
(Debian: apt-get install chromium), or set CHROMIUM_PATH to its executable.`)
  return undefined
}
