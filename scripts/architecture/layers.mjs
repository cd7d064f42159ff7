/** Packages whose files a file may import besides its own. */
const packages = /** @type {Record<string, readonly string[]>} */ ({
  contract: [],
  server: ['contract', 'bin'],
  web: ['contract'],
  e2e: ['contract', 'server', 'bin', 'scripts'],
  bench: ['contract', 'server', 'e2e', 'bin', 'scripts'],
  // It runs before the server does, and in a clone before the dependencies are installed.
  bin: [],
  scripts: ['bin'],
})

/** May import what it documents, because it runs under tsx and after an installation. */
const docsWriter = 'scripts/write-docs.mjs'

/** The layers below the domains of the server, the lowest last. */
const lowerLayers = ['access', 'http', 'db', 'config', 'lib']

/** The folders that the files of a folder of the server or of the web may import besides their own. */
const layers = /** @type {Record<string, Record<string, readonly string[]>>} */ ({
  server: {
    completions: ['bots', 'chats', 'models', 'usage', 'connectors', 'files', 'identity', ...lowerLayers],
    connectors: ['integrations', 'files', 'identity', ...lowerLayers],
    shares: ['chats', 'files', 'identity', ...lowerLayers],
    integrations: ['identity', ...lowerLayers],
    usage: ['models', 'identity', ...lowerLayers],
    bots: ['models', 'identity', ...lowerLayers],
    chats: ['projects', 'files', 'identity', ...lowerLayers],
    projects: ['bots', 'identity', ...lowerLayers],
    notifications: ['chats', 'identity', ...lowerLayers],
    live: ['identity', ...lowerLayers],
    diagnosis: ['identity', ...lowerLayers],
    inbox: ['completions', 'chats', 'identity', ...lowerLayers],
    imports: ['transfers', 'bots', 'chats', 'projects', 'files', 'identity', ...lowerLayers],
    transfers: ['identity', ...lowerLayers],
    export: [
      'transfers',
      'completions',
      'connectors',
      'integrations',
      'bots',
      'chats',
      'projects',
      'usage',
      'notifications',
      'files',
      'identity',
      ...lowerLayers,
    ],
    files: ['models', 'identity', ...lowerLayers],
    models: lowerLayers,
    tls: ['http', 'config', 'lib'],
    identity: lowerLayers,
    access: ['db'],
    db: ['lib'],
    http: ['lib'],
    config: ['lib'],
    lib: [],
  },
  web: {
    app: ['features', 'data', 'ui', 'lib'],
    features: ['data', 'ui', 'lib'],
    data: ['lib'],
    ui: ['lib'],
    lib: [],
  },
})

/** The features that are shown inside a feature, which may import them. */
const featuresBelow = /** @type {Record<string, readonly string[]>} */ ({
  account: ['chat', 'identity'],
  data: ['account'],
  notifications: ['identity'],
  projects: ['chat'],
  chat: ['files', 'preferences', 'prompts', 'sharing', 'tools', 'usage'],
  inbox: ['chat', 'tools'],
  tools: ['files'],
  'chat-list': ['projects', 'sharing'],
})

/** The files that compose the layers of the server and of the web, or configure the build. They may import all. */
const composition = /^(server\/cli\/.+|server\/[^/]+|web\/[^/]+)$/

/**
 * `web` and `server` import `contract` and never each other, and a folder of them only those of its list. Of other
 * packages, `contract` imports only zod, and `web` no modules of Node; tests may import any.
 *
 * @type {import('./read-sources.mjs').Rule}
 */
export function checkLayers(sources) {
  return sources.flatMap((source) => {
    const [name = '', folder = ''] = source.path.split('/')
    const isLayer = name in layers && !source.isTest && !composition.test(source.path)
    if (isLayer && layers[name]?.[folder] === undefined)
      return [`${source.path}: the folder ${name}/${folder} is not in the list of layers`]
    return source.imports.flatMap(({ specifier, target }) => {
      const problem =
        target === undefined
          ? checkOutside(source, specifier)
          : (checkPackage(source.path, specifier, target) ??
            (isLayer ? checkLayer(source.path, target) : undefined))
      return problem === undefined ? [] : [`${source.path}: ${problem}`]
    })
  })
}

/**
 * @param {import('./read-sources.mjs').Source} source
 * @param {string} specifier
 */
function checkOutside({ path, isTest }, specifier) {
  if (isTest || /^web\/[^/]+\.ts$/.test(path)) return undefined
  if (path.startsWith('contract/') && !/^zod(\/|$)/.test(specifier))
    return `the contract imports zod and nothing else ('${specifier}')`
  if (path.startsWith('web/') && specifier.startsWith('node:'))
    return `the browser does not have '${specifier}'`
  return undefined
}

/**
 * @param {string} path
 * @param {string} specifier
 * @param {string} target
 */
function checkPackage(path, specifier, target) {
  const [from = ''] = path.split('/')
  const [to = ''] = target.split('/')
  if (specifier.startsWith('.') && !/\.(ts|tsx|mjs|css|json|svg)(\?\w+)?$/.test(specifier))
    return `'${specifier}' must be written with its extension`
  if (from === to || (path === docsWriter && to === 'server')) return undefined
  if (!packages[from]?.includes(to)) return `${from} must not import ${to} ('${specifier}')`
  if (to === 'contract' && specifier.startsWith('.'))
    return `the contract is imported as '@yonder/contract/…', not as '${specifier}'`
  return undefined
}

/**
 * @param {string} path
 * @param {string} target
 */
function checkLayer(path, target) {
  const [name = '', from = '', feature = ''] = path.split('/')
  const [otherName, to = '', otherFeature = ''] = target.split('/')
  if (otherName !== name) return undefined
  if (to === 'testing') return `only tests import ${target}`
  if (composition.test(target)) return `only the composition and tests import ${target}`
  if (from === to) {
    return from !== 'features' || feature === otherFeature || featuresBelow[feature]?.includes(otherFeature)
      ? undefined
      : `feature ${feature} must not import feature ${otherFeature} (${target})`
  }
  if (target.endsWith('-routes.ts')) return `no file imports the routes of another domain (${target})`
  return layers[name]?.[from]?.includes(to) ? undefined : `${from} must not import ${to} (${target})`
}
