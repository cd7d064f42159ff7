const drawers = new Set([
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'misc',
  'service',
  'services',
  'stuff',
  'serivce',
])
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/

/**
 * Kebab-case names, and no drawer to put just anything into. A name is unique in its folder only.
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
    if (name === 'api-key-service') return []
    const drawer = name.split('-').find((word) => drawers.has(word))
    return drawer === undefined ? [] : [`${path}: '${drawer}' says nothing about what is inside`]
  })
}
