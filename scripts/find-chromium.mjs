import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The build of Chromium without windows, with which the browser tests take a third less time. */
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
 * Returns CHROMIUM_PATH unchecked if it is set, else the first Chromium on PATH, in the usual folders or among the
 * applications of macOS; undefined when there is none.
 *
 * @returns {string | undefined}
 */
export function findChromium() {
  const configured = process.env['CHROMIUM_PATH']
  if (configured !== undefined && configured !== '') return configured
  return findOne(names)
}

/**
 * Returns a Chromium that shows notifications, which the headless shell does not; undefined when there is none.
 *
 * @returns {string | undefined}
 */
export function findFullChromium() {
  return findOne(names.filter((name) => name !== headlessShell))
}

/** @param {readonly string[]} wanted */
function findOne(wanted) {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/snap/bin']
  const candidates = wanted.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...candidates, ...applications].find((path) => existsSync(path))
}
