/** What every domain may use, the lowest last. */
const ground = ['http', 'db', 'config', 'lib']

/** The order of the domains: each may import those on its right. */
const domains = /** @type {Record<string, readonly string[]>} */ ({
  completions: ['bots', 'chats', 'models', 'connectors', 'identity', ...ground],
  connectors: ['integrations', 'identity', ...ground],
  shares: ['chats', 'identity', ...ground],
  integrations: ['identity', ...ground],
  bots: ['models', 'identity', ...ground],
  chats: ['identity', ...ground],
  live: ['identity', ...ground],
  models: ground,
  identity: ground,
  db: ['lib'],
  http: ['lib'],
  config: ['lib'],
  lib: [],
})

/** Files that put the whole together: those outside of every domain. */
const composition = /^server\/[^/]+$/

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
  if (composition.test(target)) return `only the composition (server/*.ts) and tests import ${target}`
  const from = domainOf(path)
  const to = domainOf(target)
  if (from === to) return undefined
  if (target.endsWith('-routes.ts')) return `no file imports the routes of another domain (${target})`
  const allowed = domains[from]
  if (allowed === undefined) return `the folder server/${from} has no place in the order of domains`
  return allowed.includes(to) ? undefined : `${from} must not import ${to} (${target})`
}

/** @param {string} path */
function domainOf(path) {
  return path.split('/')[1] ?? ''
}
