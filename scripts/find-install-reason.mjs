import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** @typedef {{ version?: string, dev?: boolean, optional?: boolean, link?: boolean, workspaces?: string[],
 *   dependencies?: Record<string, string>, devDependencies?: Record<string, string> }} LockEntry */

/**
 * Returns why packages must be installed, or undefined when `node_modules` matches package-lock.json. Compares contents
 * and not file times, so that switching branches and back installs nothing. `withTests` counts the packages that only
 * tests and checks need.
 *
 * @param {string} folder of the repository
 * @param {{ withTests: boolean }} options
 * @returns {string | undefined}
 */
export function findInstallReason(folder, { withTests }) {
  if (!existsSync(join(folder, 'node_modules'))) return 'there are none yet'
  const installed = readLock(join(folder, 'node_modules/.package-lock.json'))
  if (installed === undefined) return 'an earlier installation did not finish'
  const wanted = readLock(join(folder, 'package-lock.json'))
  if (wanted === undefined) return 'package-lock.json is missing'
  return findChangedManifest(folder, wanted) ?? findStalePackage(installed, wanted, withTests)
}

/**
 * @param {string} folder
 * @param {Record<string, LockEntry>} wanted
 */
function findChangedManifest(folder, wanted) {
  for (const workspace of ['', ...(wanted['']?.workspaces ?? [])]) {
    const manifest = JSON.parse(readFileSync(join(folder, workspace, 'package.json'), 'utf8'))
    const locked = wanted[workspace]
    for (const kind of /** @type {const} */ (['dependencies', 'devDependencies']))
      if (describe(manifest[kind]) !== describe(locked?.[kind]))
        return `${join(workspace, 'package.json')} changed`
  }
  return undefined
}

/**
 * @param {Record<string, LockEntry>} installed
 * @param {Record<string, LockEntry>} wanted
 * @param {boolean} withTests
 */
function findStalePackage(installed, wanted, withTests) {
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.startsWith('node_modules/') || entry.link === true) continue
    const found = installed[path]
    // Optional packages for other systems are missing on purpose.
    if (found === undefined && (entry.optional === true || (entry.dev === true && !withTests))) continue
    if (found?.version !== entry.version)
      return `${path.replace(/^.*node_modules\//, '')} ${entry.version} is missing`
  }
  return undefined
}

/** @param {Record<string, string>} [dependencies] */
function describe(dependencies = {}) {
  return JSON.stringify(Object.entries(dependencies).toSorted())
}

/**
 * @param {string} path
 * @returns {Record<string, LockEntry> | undefined}
 */
function readLock(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined
}
