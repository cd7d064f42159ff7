import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { rootFolder } from '../bin/run-command.mjs'
import {
  addResults,
  describeResults,
  noResults,
  readPlaywrightReport,
  readVitestReport,
} from './test-results.mjs'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yonder-results-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** @param {unknown} content */
function report(content) {
  const path = join(folder, 'report.json')
  writeFileSync(path, JSON.stringify(content))
  return path
}

const file = join(rootFolder, 'server', 'chats.test.ts')

const vitestReport = {
  numPassedTests: 5,
  numPendingTests: 1,
  numTodoTests: 1,
  testResults: [{ name: file, status: 'passed', message: '', assertionResults: [{ status: 'passed' }] }],
}

const playwrightReport = {
  stats: { expected: 3, unexpected: 0, skipped: 1, flaky: 1 },
  suites: [],
  errors: [],
}

it('reads what Vitest reports', () => {
  expect(readVitestReport(report(vitestReport), 0, 'web')).toStrictEqual({
    passed: 5,
    skipped: 2,
    failures: [],
  })
})

it('names each failed test with the start of its error, and each file that cannot be loaded', () => {
  const testResults = [
    { name: file, status: 'failed', message: 'Cannot find module', assertionResults: [] },
    {
      name: file,
      status: 'failed',
      message: '',
      assertionResults: [
        { status: 'passed', fullName: 'chats open', failureMessages: [] },
        { status: 'failed', fullName: 'chats close', failureMessages: ['expected 1\nto be 2\n'] },
      ],
    },
  ]
  expect(readVitestReport(report({ ...vitestReport, testResults }), 1, 'web').failures).toStrictEqual([
    'server/chats.test.ts\n    Cannot find module',
    'server/chats.test.ts › chats close\n    expected 1\n    to be 2',
  ])
})

it('names each failed browser test with its file and groups, and errors outside all tests', () => {
  const failed = {
    status: 'unexpected',
    results: [{ error: { message: '\u001b[31mnot visible\u001b[39m' } }],
  }
  const suites = [
    {
      title: 'chat.spec.ts',
      specs: [{ title: 'a user sends', tests: [{ status: 'expected', results: [{}] }] }],
      suites: [{ title: 'wide', specs: [{ title: 'a user reads', tests: [failed] }] }],
    },
  ]
  const errors = [{ message: 'no such file' }]
  expect(readPlaywrightReport(report({ ...playwrightReport, suites, errors }), 1)).toStrictEqual({
    passed: 4,
    skipped: 1,
    failures: ['chat.spec.ts › wide › a user reads\n    not visible', 'Playwright\n    no such file'],
  })
})

it('never reports success for a failed run', () => {
  const missing = join(folder, 'missing.json')
  expect(readVitestReport(report(vitestReport), 1, 'web').failures).toHaveLength(1)
  expect(readVitestReport(missing, 0, 'web').failures).toHaveLength(1)
  expect(readPlaywrightReport(report(playwrightReport), 1).failures).toHaveLength(1)
  expect(readPlaywrightReport(missing, 0).failures).toHaveLength(1)
})

it('describes the sum with the failures first and the counts in the last line', () => {
  const passed = readPlaywrightReport(report(playwrightReport), 0)
  expect(describeResults({ ...passed, skipped: 0 })).toBe('4 passed, 0 failed')
  const results = addResults(passed, { ...noResults, failures: ['a.test.ts › a\n    1', 'b.test.ts › b'] })
  expect(describeResults(results)).toBe(
    '✗ a.test.ts › a\n    1\n\n✗ b.test.ts › b\n\n4 passed, 2 failed, 1 skipped',
  )
})
