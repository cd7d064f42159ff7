import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const skipped = new Set(['node_modules', 'dist', 'testing'])

/**
 * Returns a hash of all sources in these files and folders, without tests. Uses contents and not file times, so that
 * switching branches and back builds nothing.
 *
 * @param {string} folder The root of the repository.
 * @param {readonly string[]} paths below it
 */
export function hashSources(folder, paths) {
  const hash = createHash('sha256')
  for (const path of paths) addPath(hash, join(folder, path), path)
  return hash.digest('hex')
}

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} fullPath
 * @param {string} name
 */
function addPath(hash, fullPath, name) {
  const found = statSync(fullPath, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isDirectory()) {
    hash.update(`${name}\0${found.size}\0`).update(readFileSync(fullPath))
    return
  }
  for (const entry of readdirSync(fullPath).toSorted())
    if (!skipped.has(entry) && !entry.startsWith('.') && !/\.test\.(tsx?|mjs)$/.test(entry))
      addPath(hash, join(fullPath, entry), `${name}/${entry}`)
}
