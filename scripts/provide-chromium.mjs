import { findChromium, headlessShell } from './find-chromium.mjs'
import { installSystemPackage } from './install-system-package.mjs'
import { runTool } from './run-command.mjs'

/**
 * Finds a Chromium for the browser tests, or gets one: from apt as root, else the one that Playwright downloads.
 * Answers the path, which is empty for Playwright's own, or undefined when there is no way.
 *
 * @returns {Promise<string | undefined>}
 */
export async function provideChromium() {
  const found = findChromium()
  if (found !== undefined && (process.env['CHROMIUM_PATH'] || found.endsWith(headlessShell))) return found
  if (await installSystemPackage(headlessShell)) return findChromium()
  if (found !== undefined) return found
  if (await installSystemPackage('chromium')) return findChromium()
  console.log('No Chromium found; asking Playwright to download its own.')
  const { code } = await runTool('@playwright/test/cli.js', ['install', 'chromium'])
  if (code === 0) return ''
  console.error(`The browser tests need Chromium, and there is none on this machine. Install it
(Debian: apt-get install chromium), or set CHROMIUM_PATH to the browser's file.`)
  return undefined
}
