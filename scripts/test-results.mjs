import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { rootFolder } from '../bin/run-command.mjs'

/**
 * `failures` has one entry for each failure: the file and title of the test, and in further lines the start of its
 * error.
 *
 * @typedef {{ passed: number, skipped: number, failures: readonly string[] }} Results
 */

/** @type {Results} */
export const noResults = { passed: 0, skipped: 0, failures: [] }

const maxErrorLines = 12

/**
 * @param {Results} a
 * @param {Results} b
 * @returns {Results}
 */
export function addResults(a, b) {
  return {
    passed: a.passed + b.passed,
    skipped: a.skipped + b.skipped,
    failures: [...a.failures, ...b.failures],
  }
}

/**
 * Repeats the failures after a long output, whose end may be all that a CI server keeps. The last line has the counts.
 *
 * @param {Results} results
 */
export function describeResults({ passed, skipped, failures }) {
  const counts = `${passed} passed, ${failures.length} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
  return [...failures.map((failure) => `✗ ${failure}\n`), counts].join('\n')
}

/**
 * Reads a report of Vitest. A file that cannot be loaded contains no tests and is one failure.
 *
 * @param {string} path
 * @param {number} code with which Vitest ended
 * @param {string} name of the run
 * @returns {Results}
 */
export function readVitestReport(path, code, name) {
  const program = `Vitest (${name})`
  if (!existsSync(path)) return missingReport(program, code)
  const report = JSON.parse(readFileSync(path, 'utf8'))
  /**
   * @type {{
   *   name: string, status: string, message: string,
   *   assertionResults: { status: string, fullName: string, failureMessages: string[] }[],
   * }[]}
   */
  const files = report.testResults
  const failures = files.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(rootFolder, name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (failed.length === 0) return status === 'failed' ? [describeFailure(file, message)] : []
    return failed.map(({ fullName, failureMessages }) =>
      describeFailure(`${file} › ${fullName}`, failureMessages.join('\n')),
    )
  })
  return orOneFailure(program, code, {
    passed: report.numPassedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    failures,
  })
}

/**
 * @typedef {{
 *   title: string, suites?: Suite[],
 *   specs: { title: string, tests: { status: string, results: { error?: { message?: string } }[] }[] }[],
 * }} Suite of a report of Playwright; the outermost ones are the files
 */

/**
 * Reads a report of Playwright. An error outside all tests, for example in a file that cannot be loaded, is one
 * failure.
 *
 * @param {string} path
 * @param {number} code with which Playwright ended
 * @returns {Results}
 */
export function readPlaywrightReport(path, code) {
  if (!existsSync(path)) return missingReport('Playwright', code)
  /** @type {{ stats: Record<string, number>, suites: Suite[], errors: { message?: string }[] }} */
  const { stats, suites, errors } = JSON.parse(readFileSync(path, 'utf8'))
  return orOneFailure('Playwright', code, {
    passed: (stats['expected'] ?? 0) + (stats['flaky'] ?? 0),
    skipped: stats['skipped'] ?? 0,
    failures: [
      ...suites.flatMap((suite) => findFailures(suite, [])),
      ...errors.map(({ message = '' }) => describeFailure('Playwright', message)),
    ],
  })
}

/**
 * @param {Suite} suite
 * @param {readonly string[]} outerTitles
 * @returns {string[]}
 */
function findFailures({ title, suites = [], specs }, outerTitles) {
  const titles = [...outerTitles, title]
  const own = specs.flatMap((spec) =>
    spec.tests
      .filter(({ status }) => status === 'unexpected')
      .map(({ results }) =>
        describeFailure(
          [...titles, spec.title].join(' › '),
          results.map(({ error }) => error?.message ?? '').join('\n'),
        ),
      ),
  )
  return [...own, ...suites.flatMap((suite) => findFailures(suite, titles))]
}

/**
 * Returns a failure with the first lines of its error.
 *
 * @param {string} title
 * @param {string} error
 */
export function describeFailure(title, error) {
  const lines = stripVTControlCharacters(error).trim().split('\n').slice(0, maxErrorLines)
  return [title, ...lines.map((line) => `    ${line}`)].join('\n').trimEnd()
}

/**
 * @param {string} program
 * @param {number} code
 * @returns {Results}
 */
function missingReport(program, code) {
  return { ...noResults, failures: [`${program} ended with code ${code} and wrote no report`] }
}

/**
 * Adds a failure to a run that failed without a failed test, for example because of an error after the last test.
 *
 * @param {string} program
 * @param {number} code
 * @param {Results} results
 * @returns {Results}
 */
function orOneFailure(program, code, results) {
  if (code === 0 || results.failures.length > 0) return results
  return { ...results, failures: [`${program} ended with code ${code}, but none of its tests failed`] }
}
