import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/**
 * @typedef {object} Import
 * @property {string} specifier as written
 * @property {string | undefined} target the file inside the repository, when it is one
 *
 * @typedef {object} Source
 * @property {string} path below the root, with forward slashes
 * @property {string} text
 * @property {string} code the text with its comments blanked
 * @property {boolean} isTest
 * @property {readonly Import[]} imports
 *
 * @typedef {(sources: readonly Source[]) => string[]} Rule returns a sentence for each problem
 */

const folders = ['contract', 'server', 'web', 'e2e', 'bench', 'bin', 'scripts']
const skipped = new Set(['node_modules', 'dist', 'data', 'test-results', 'playwright-report'])

/**
 * Reads every source file of the packages, tests included.
 *
 * @param {string} root
 * @returns {Source[]}
 */
export function readSources(root) {
  return (
    folders
      .flatMap((folder) => listFiles(root, folder))
      // The test of the rules contains sources that break them.
      .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !path.endsWith('architecture/rules.test.mjs'))
      .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')))
  )
}

/**
 * @param {string} path
 * @param {string} text
 * @returns {Source}
 */
export function parseSource(path, text) {
  const code = blankComments(text)
  return {
    path,
    text,
    code,
    isTest: /\.(test|spec)\.(ts|tsx|mjs)$/.test(path) || /^(server|web)\/testing\//.test(path),
    imports: listImports(path, code),
  }
}

/** @param {string} text */
function blankComments(text) {
  const token = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g
  return text.replace(token, (found) => (/^\/[/*]/.test(found) ? found.replace(/[^\n]/g, ' ') : found))
}

/**
 * @param {string} path
 * @param {string} code
 * @returns {Import[]}
 */
function listImports(path, code) {
  const clause =
    /\b(?:import|export)\s+(?:type\s+)?[\w*{}\s,$]+?\s+from\s*['"]([^'"]+)['"]|(?<!['"])\bimport\s*\(?\s*['"]([^'"]+)['"]/g
  return [...code.matchAll(clause)].map(([, from, bare]) => {
    const specifier = from ?? bare ?? ''
    return { specifier, target: findTarget(path, specifier) }
  })
}

/**
 * @param {string} path
 * @param {string} specifier
 */
function findTarget(path, specifier) {
  const workspace = /^@yonder\/(\w+)(?:\/(.*))?$/.exec(specifier)
  if (workspace !== null) return `${workspace[1]}/${workspace[2] ?? 'index'}.ts`
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function listFiles(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name) || entry.name.startsWith('.')) return []
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? listFiles(root, path) : [path]
  })
}
