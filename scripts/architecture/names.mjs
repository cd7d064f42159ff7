/** Words that do not describe what a file or folder contains. */
const vagueWords = new Set([
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'misc',
  'service',
  'services',
  'stuff',
])
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/

/**
 * Names are in kebab-case and contain no vague word.
 *
 * @type {import('./read-sources.mjs').Rule}
 */
export function checkNames(sources) {
  return sources.flatMap(({ path }) => checkPath(path))
}

/** @param {string} path */
function checkPath(path) {
  const names = path.replace(/(\.(test|spec|config))?\.(ts|tsx|mjs)$/, '').split('/')
  return names.flatMap((name) => {
    if (!kebab.test(name)) return [`${path}: '${name}' is not kebab-case`]
    // The name of a kind of service that integrations use.
    if (name === 'api-key-service') return []
    const vagueWord = name.split('-').find((word) => vagueWords.has(word))
    return vagueWord === undefined ? [] : [`${path}: '${vagueWord}' does not describe the content`]
  })
}
