import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { rootFolder } from '../../bin/run-command.mjs'

/** The `package.json` that declares the packages of a folder. */
const manifests = {
  server: 'server/package.json',
  web: 'web/package.json',
  contract: 'contract/package.json',
  bin: 'package.json',
}

/** @param {string} path */
function readDependencies(path) {
  const { dependencies } = JSON.parse(readFileSync(join(rootFolder, path), 'utf8'))
  return new Set(Object.keys(dependencies))
}

const declared = new Map(Object.entries(manifests).map(([folder, path]) => [folder, readDependencies(path)]))
/** An import that exists at run time: types are erased. */
const runtimeImport =
  /\b(?:import|export)\s+(?!type\b)[\w*{}\s,$]+?\s+from\s*['"]([^'"]+)['"]|(?<!['"])\bimport\s*\(?\s*['"]([^'"]+)['"]/g

/**
 * What is shipped imports only packages in `dependencies` of its own `package.json`. A package of the tests is there in
 * every checkout with tests, so that nothing else would notice.
 *
 * @type {import('./read-sources.mjs').Rule}
 */
export function checkPackages(sources) {
  return sources.flatMap(({ path, code, isTest }) => {
    const folder = path.split('/', 1)[0] ?? ''
    const dependencies = declared.get(folder)
    if (dependencies === undefined || isTest) return []
    return [...code.matchAll(runtimeImport)].flatMap(([, from, bare]) => {
      const specifier = from ?? bare ?? ''
      // Workers of the sources, which are not shipped, need `tsx`; the code of a worker names a file.
      const isOwn = /^(?:[./]|\$\{|tsx(?:\/|$))/.test(specifier) || /^(?:node|virtual):/.test(specifier)
      const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
      if (isOwn || builtinModules.includes(name) || dependencies.has(name)) return []
      return [`${path}: ${name} is not in "dependencies" of ${manifests[/** @type {'server'} */ (folder)]}`]
    })
  })
}
