const minMajor = 20
const minMinor = 19
/** Node 21 has `process.loadEnvFile` only from 21.7 on, and no release of better-sqlite3 supports it. */
const refusedMajor = 21

/**
 * Returns a sentence for the user when Yonder cannot run on this version of Node, else undefined. This file itself must
 * run on such a version, so it uses no syntax that is newer than Node 12.
 *
 * @param {string} version such as '20.19.0'
 * @returns {string | undefined}
 */
export function findNodeProblem(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNewEnough = major > minMajor || (major === minMajor && minor >= minMinor)
  if (isNewEnough && major !== refusedMajor) return undefined
  const needed = isNewEnough ? refusedMajor + 1 : `${minMajor}.${minMinor}`
  return `Yonder needs Node ${needed} or newer; this is ${version}. Download it from https://nodejs.org`
}
