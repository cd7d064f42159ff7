import { checkSync } from 'recheck'
import { parseAst } from 'rolldown/parseAst'
import { patternExemptions } from './pattern-exemptions.mjs'

// The same result everywhere: the other backends exist for some systems only.
process.env['RECHECK_BACKEND'] = 'pure'

/** An upper limit for a loaded machine; almost every expression takes less than a second. */
const timeoutMs = 60_000

/**
 * Refuses every regular expression of the product whose time grows faster than the text it is applied to, because one
 * long text would stop the process or the page. One that is built at run time cannot be checked and needs an exemption.
 *
 * @param {readonly import('./read-sources.mjs').Source[]} sources
 * @param {ReadonlySet<string>} known expressions that are linear
 * @param {readonly import('./pattern-exemptions.mjs').Exemption[]} [exemptions]
 */
export function checkPatterns(sources, known, exemptions = patternExemptions) {
  const found = sources.filter(isProductCode).flatMap(findPatterns)
  /** @type {Set<string>} */
  const linear = new Set()
  const unused = new Set(exemptions)
  /** @type {string[]} */
  const problems = []
  for (const { path, line, pattern, regex } of found) {
    const exemption = exemptions.find((each) => each.path === path && each.pattern === pattern)
    if (exemption !== undefined) {
      unused.delete(exemption)
      continue
    }
    const reason =
      regex === undefined
        ? 'is built at run time and cannot be checked'
        : known.has(pattern) || linear.has(pattern)
          ? undefined
          : explainSlowness(regex)
    if (reason === undefined) linear.add(pattern)
    else
      problems.push(
        `${path}:${line}: ${pattern} ${reason}. Rewrite it, for example with indexOf, or add it with a reason to scripts/architecture/pattern-exemptions.mjs.`,
      )
  }
  for (const { path, pattern } of unused)
    problems.push(
      `scripts/architecture/pattern-exemptions.mjs: ${path} does not contain ${pattern} any more.`,
    )
  return { problems, linear, count: found.length }
}

/** @param {import('./read-sources.mjs').Source} source */
function isProductCode({ path, isTest }) {
  return /^(contract|server|web)\//.test(path) && !isTest && !path.endsWith('.config.ts')
}

/**
 * @typedef {object} Found
 * @property {string} path
 * @property {number} line
 * @property {string} pattern as written
 * @property {{ pattern: string, flags: string }} [regex] undefined when it is built at run time
 */

/**
 * @param {import('./read-sources.mjs').Source} source
 * @returns {Found[]}
 */
function findPatterns({ path, text }) {
  if (!/\/|RegExp/.test(text)) return []
  /** @type {Found[]} */
  const found = []
  /** @param {unknown} node */
  const visit = (node) => {
    if (typeof node !== 'object' || node === null) return
    const { type, start, end, regex, callee } = /** @type {Node} */ (node)
    if (regex || ((type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp')) {
      const line = text.slice(0, start).split('\n').length
      found.push({ path, line, pattern: text.slice(start, end), ...(regex ? { regex } : {}) })
    }
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path))
  return found
}

/**
 * @typedef {object} Node the parts of a node of the syntax tree that are read here
 * @property {string} [type]
 * @property {number} [start]
 * @property {number} [end]
 * @property {{ pattern: string, flags: string }} [regex]
 * @property {{ name?: string }} [callee]
 */

/** @param {{ pattern: string, flags: string }} regex */
function explainSlowness({ pattern, flags }) {
  const result = checkSync(pattern, flags, { timeout: timeoutMs })
  if (result.status === 'safe') return undefined
  if (result.status === 'unknown') return `could not be checked (${result.error.kind})`
  return `takes ${result.complexity.summary} time, for example with ${result.attack.pattern}`
}
