/** The oldest Node that the code runs on. `engines` in package.json names it too. */
export const oldestNode = '22.14.0'
/** The oldest Node that can fetch a newer one: every command of ours starts on it. */
export const oldestStartingNode = '20.19.0'

/**
 * Whether a version is at least another one.
 *
 * @param {string} version such as '20.19.0'
 * @param {string} oldest
 */
export function isAtLeast(version, oldest) {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const [oldMajor = 0, oldMinor = 0, oldPatch = 0] = oldest.split('.').map(Number)
  if (major !== oldMajor) return major > oldMajor
  return minor === oldMinor ? patch >= oldPatch : minor > oldMinor
}
