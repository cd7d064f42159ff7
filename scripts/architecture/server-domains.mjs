/** The layers below the domains, the lowest last. */
const lowerLayers = ['access', 'http', 'db', 'config', 'lib']

/** The order of the domains: each may import those in its list. */
const domains = /** @type {Record<string, readonly string[]>} */ ({
  completions: ['bots', 'chats', 'models', 'usage', 'connectors', 'identity', ...lowerLayers],
  connectors: ['integrations', 'identity', ...lowerLayers],
  shares: ['chats', 'identity', ...lowerLayers],
  integrations: ['identity', ...lowerLayers],
  usage: ['models', 'identity', ...lowerLayers],
  bots: ['models', 'identity', ...lowerLayers],
  chats: ['identity', ...lowerLayers],
  live: ['identity', ...lowerLayers],
  diagnosis: ['identity', ...lowerLayers],
  export: ['completions', 'connectors', 'integrations', 'bots', 'chats', 'usage', 'identity', ...lowerLayers],
  models: lowerLayers,
  tls: ['http', 'config', 'lib'],
  identity: lowerLayers,
  access: ['db'],
  db: ['lib'],
  http: ['lib'],
  config: ['lib'],
  lib: [],
})

/** The files that compose the domains: those directly in `server/`, and the commands of the operator. */
const composition = /^server\/(cli\/.+|[^/]+)$/

/**
 * A domain imports only those that its list allows, and never the routes of another. The composition may import all.
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
  if (composition.test(target))
    return `only the composition (server/*.ts, server/cli) and tests import ${target}`
  const from = domainOf(path)
  const to = domainOf(target)
  if (from === to) return undefined
  if (target.endsWith('-routes.ts')) return `no file imports the routes of another domain (${target})`
  const allowed = domains[from]
  if (allowed === undefined) return `the folder server/${from} is not in the list of domains`
  return allowed.includes(to) ? undefined : `${from} must not import ${to} (${target})`
}

/** @param {string} path */
function domainOf(path) {
  return path.split('/')[1] ?? ''
}
