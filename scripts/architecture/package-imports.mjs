/** Packages whose files a file may import besides its own. */
const mayImport = /** @type {Record<string, readonly string[]>} */ ({
  contract: [],
  server: ['contract', 'bin'],
  web: ['contract'],
  e2e: ['contract', 'server', 'bin', 'scripts'],
  bench: ['contract', 'server', 'e2e', 'bin', 'scripts'],
  // It runs before the server does, and in a clone before the dependencies are installed.
  bin: [],
  scripts: ['bin'],
})

/** May import the settings that it documents, because it runs under tsx and after an installation. */
const settingsDocs = 'scripts/write-settings-docs.mjs'

/**
 * `web` and `server` import `contract` and never each other. Of other packages, `contract` imports only zod, and `web`
 * no modules of Node; tests may import any.
 *
 * @type {import('./read-sources.mjs').Rule}
 */
export function checkPackageImports(sources) {
  return sources.flatMap((source) =>
    source.imports.flatMap(({ specifier, target }) => {
      const problem =
        target === undefined ? checkOutside(source, specifier) : checkInside(source.path, specifier, target)
      return problem === undefined ? [] : [`${source.path}: ${problem}`]
    }),
  )
}

/**
 * @param {string} path
 * @param {string} specifier
 * @param {string} target
 */
function checkInside(path, specifier, target) {
  const from = packageOf(path)
  const to = packageOf(target)
  if (specifier.startsWith('.') && !/\.(ts|tsx|mjs|css|json|svg)(\?\w+)?$/.test(specifier))
    return `'${specifier}' must be written with its extension`
  if (from === to || (path === settingsDocs && to === 'server')) return undefined
  if (!mayImport[from]?.includes(to)) return `${from} must not import ${to} ('${specifier}')`
  if (to === 'contract' && specifier.startsWith('.'))
    return `the contract is imported as '@yonder/contract/…', not as '${specifier}'`
  return undefined
}

/**
 * @param {import('./read-sources.mjs').Source} source
 * @param {string} specifier
 */
function checkOutside({ path, isTest }, specifier) {
  // The files in the root of the web package configure its build and run in Node.
  if (isTest || /^web\/[^/]+\.ts$/.test(path)) return undefined
  const from = packageOf(path)
  if (from === 'contract' && !/^zod(\/|$)/.test(specifier))
    return `the contract imports zod and nothing else ('${specifier}')`
  if (from === 'web' && specifier.startsWith('node:')) return `the browser does not have '${specifier}'`
  return undefined
}

/** @param {string} path */
function packageOf(path) {
  return path.split('/')[0] ?? ''
}
