import { posix } from 'node:path'

const maxFiles = 20

/**
 * A folder of contract, server or web holds at most 20 source files, tests not counted. A larger one should be divided
 * into folders by subject.
 *
 * @type {import('./read-sources.mjs').Rule}
 */
export function checkFolders(sources) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const { path, isTest } of sources) {
    if (isTest || !/^(contract|server|web)\//.test(path)) continue
    const folder = posix.dirname(path)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > maxFiles)
    .map(([folder, count]) => `${folder}: ${count} source files, the limit is ${maxFiles}`)
}
