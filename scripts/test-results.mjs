import { existsSync, readFileSync } from 'node:fs'

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @type {Counts} */
export const noCounts = { passed: 0, failed: 0, skipped: 0 }

/**
 * @param {Counts} a
 * @param {Counts} b
 * @returns {Counts}
 */
export function addCounts(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}

/** @param {Counts} counts */
export function describeCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}

/**
 * Counts the results in a report of Vitest. A file that cannot be loaded contains no tests and counts as one failure.
 *
 * @param {string} path
 * @param {number} code with which Vitest ended
 * @returns {Counts}
 */
export function countVitest(path, code) {
  if (!existsSync(path)) return { ...noCounts, failed: 1 }
  const report = JSON.parse(readFileSync(path, 'utf8'))
  /** @type {{ status: string, assertionResults: { status: string }[] }[]} */
  const files = report.testResults
  const brokenFiles = files.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  )
  return orOneFailure(code, {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  })
}

/**
 * Counts the results in a report of Playwright.
 *
 * @param {string} path
 * @param {number} code with which Playwright ended
 * @returns {Counts}
 */
export function countPlaywright(path, code) {
  if (!existsSync(path)) return { ...noCounts, failed: 1 }
  const { stats } = JSON.parse(readFileSync(path, 'utf8'))
  return orOneFailure(code, {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    skipped: stats.skipped,
  })
}

/**
 * Counts a run that failed without a failed test, for example because of a crash, as one failure.
 *
 * @param {number} code
 * @param {Counts} counts
 * @returns {Counts}
 */
function orOneFailure(code, counts) {
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}
