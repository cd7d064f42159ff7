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
/** Where a program begins; each has one. */
const entries = new Set(['main', 'app'])
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/

/**
 * Kebab-case names that occur once in the repository, and no drawer to put just anything into.
 *
 * @type {import('./read-sources.mjs').Rule}
 */
export function checkNames(sources) {
  return [...sources.flatMap(({ path }) => checkPath(path)), ...listTwins(sources)]
}

/** @param {string} path */
function checkPath(path) {
  const names = path.replace(/(\.(test|spec|config))?\.(ts|tsx|mjs)$/, '').split('/')
  return names.flatMap((name) => {
    if (!kebab.test(name)) return [`${path}: '${name}' is not kebab-case`]
    const drawer = name.split('-').find((word) => drawers.has(word))
    return drawer === undefined ? [] : [`${path}: '${drawer}' says nothing about what is inside`]
  })
}

/** @param {readonly import('./read-sources.mjs').Source[]} sources */
function listTwins(sources) {
  /** @type {Map<string, string[]>} */
  const places = new Map()
  for (const { path } of sources) {
    const name = (path.split('/').at(-1) ?? '').replace(/\.(ts|tsx|mjs)$/, '')
    if (!entries.has(name.replace(/\.test$/, ''))) places.set(name, [...(places.get(name) ?? []), path])
  }
  return [...places.values()]
    .filter((paths) => paths.length > 1)
    .map((paths) => `${paths.join(', ')}: one name for ${paths.length} files`)
}
