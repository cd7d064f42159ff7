/** What every domain may use. */
const ground = ['http', 'db', 'identity']

/** The order of the domains: each may import those on its right. No cycle can come of it. */
const domains = /** @type {Record<string, readonly string[]>} */ ({
  completions: ['bots', 'chats', 'models', 'connectors', ...ground],
  connectors: ['integrations', ...ground],
  shares: ['chats', ...ground],
  integrations: ground,
  bots: ground,
  chats: ground,
  live: ground,
  models: ground,
  identity: ['http', 'db'],
  db: ['http'],
  http: [],
})

/** Files that put the whole together: those outside of every domain. */
const composition = /^server\/[^/]+$/

/** Files of the package's root that any file may read. */
const readByAll = new Set(['server/config.ts', 'server/repeat-work.ts'])

/**
 * Domains import each other in their written order, never another's routes; only the composition sees everything.
 *
 * @type {import('./read-sources.mjs').Rule}
 */
export function checkServerDomains(sources) {
  return sources
    .filter(({ path, isTest }) => path.startsWith('server/') && !isTest && !composition.test(path))
    .flatMap(({ path, imports }) =>
      imports.flatMap(({ target }) => {
        const problem = target?.startsWith('server/') ? checkImport(path, target) : undefined
        return problem === undefined ? [] : [`${path}: ${problem}`]
      }),
    )
}

/**
 * @param {string} path
 * @param {string} target
 */
function checkImport(path, target) {
  if (target.startsWith('server/testing/')) return `only tests import ${target}`
  if (readByAll.has(target)) return undefined
  if (composition.test(target)) return `only the composition (server/*.ts) and tests import ${target}`
  const from = domainOf(path)
  const to = domainOf(target)
  if (from === to) return undefined
  if (target.endsWith('-routes.ts')) return `nobody imports the routes of another domain (${target})`
  const allowed = domains[from]
  if (allowed === undefined) return `the folder server/${from} has no place in the order of domains`
  return allowed.includes(to) ? undefined : `${from} must not import ${to} (${target})`
}

/** @param {string} path */
function domainOf(path) {
  return path.split('/')[1] ?? ''
}
