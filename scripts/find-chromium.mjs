import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The one without windows: the browser tests take a third less time with it. */
export const headlessShell = 'chromium-headless-shell'
const names = [
  headlessShell,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome.exe',
]
const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * The Chromium of this machine: CHROMIUM_PATH, one on PATH, or an application. Undefined when there is none.
 *
 * @returns {string | undefined}
 */
export function findChromium() {
  const given = process.env['CHROMIUM_PATH']
  if (given !== undefined && given !== '') return given
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/snap/bin']
  const places = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...places, ...applications].find((place) => existsSync(place))
}
