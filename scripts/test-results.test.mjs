import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { addCounts, countPlaywright, countVitest, describeCounts, noCounts } from './test-results.mjs'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yonder-counts-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** @param {unknown} content */
function report(content) {
  const path = join(folder, 'report.json')
  writeFileSync(path, JSON.stringify(content))
  return path
}

const vitestReport = {
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 1,
  numTodoTests: 1,
  testResults: [{ status: 'passed', assertionResults: [{ status: 'passed' }] }],
}

it('counts what Vitest reports', () => {
  expect(countVitest(report(vitestReport), 0)).toStrictEqual({ passed: 5, failed: 0, skipped: 2 })
})

it('counts a file that cannot be loaded as a failure, beside failed tests', () => {
  const testResults = [
    { status: 'failed', assertionResults: [] },
    { status: 'failed', assertionResults: [{ status: 'failed' }] },
  ]
  expect(countVitest(report({ ...vitestReport, numFailedTests: 1, testResults }), 1).failed).toBe(2)
})

it('never reports success for a failed run', () => {
  expect(countVitest(report(vitestReport), 1).failed).toBe(1)
  expect(countVitest(join(folder, 'missing.json'), 0).failed).toBe(1)
  expect(countPlaywright(join(folder, 'missing.json'), 0).failed).toBe(1)
  const stats = { expected: 3, unexpected: 0, skipped: 0, flaky: 0 }
  expect(countPlaywright(report({ stats }), 1)).toStrictEqual({ passed: 3, failed: 1, skipped: 0 })
})

it('formats the sum in one plain line', () => {
  const stats = { expected: 3, unexpected: 2, skipped: 0, flaky: 1 }
  const counts = addCounts(noCounts, countPlaywright(report({ stats }), 1))
  expect(describeCounts(counts)).toBe('4 passed, 2 failed')
  expect(describeCounts({ ...counts, skipped: 2 })).toBe('4 passed, 2 failed, 2 skipped')
})
