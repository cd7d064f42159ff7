/** Which layers a layer of the browser may import. Each feature may also import itself and those below it. */
const layers = /** @type {Record<string, readonly string[]>} */ ({
  app: ['app', 'features', 'data', 'ui', 'lib'],
  features: ['data', 'ui', 'lib'],
  data: ['data', 'lib'],
  ui: ['ui', 'lib'],
  lib: ['lib'],
})

/** The features below a feature, which are shown inside it. */
const featuresBelow = /** @type {Record<string, readonly string[]>} */ ({
  chat: ['preferences', 'prompts', 'sharing', 'tools', 'usage'],
})

/**
 * A feature imports only the features below it; `web/app` combines the others. Data that several features use is in
 * `web/data`. `ui` and `lib` import no feature.
 *
 * @type {import('./read-sources.mjs').Rule}
 */
export function checkWebFeatures(sources) {
  return sources
    .filter(({ path, isTest }) => path.startsWith('web/') && !isTest)
    .flatMap(({ path, imports }) => {
      const [, folder = ''] = path.split('/')
      // The files in the root of the package start the application or configure its build.
      const isInFolder = path.includes('/', 'web/'.length) && !path.startsWith('web/testing/')
      if (isInFolder && layers[folder] === undefined)
        return [`${path}: the folder web/${folder} is not in the list of layers`]
      return imports.flatMap(({ target }) => {
        const problem = target?.startsWith('web/') ? checkImport(path, target) : undefined
        return problem === undefined ? [] : [`${path}: ${problem}`]
      })
    })
}

/**
 * @param {string} path
 * @param {string} target
 */
function checkImport(path, target) {
  if (target.startsWith('web/testing/')) return `only tests import ${target}`
  const [, from = '', feature] = path.split('/')
  const [, to = '', otherFeature] = target.split('/')
  const allowed = layers[from]
  if (allowed === undefined) return undefined
  if (from === 'features' && to === 'features')
    return feature === otherFeature || featuresBelow[feature ?? '']?.includes(otherFeature ?? '')
      ? undefined
      : `feature ${feature} must not import feature ${otherFeature} (${target})`
  return allowed.includes(to) ? undefined : `${from} must not import ${to} (${target})`
}
