import { mkdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { rootFolder, runTool } from '../bin/run-command.mjs'
import { runChecks } from './check-steps.mjs'
import { findPostgres } from './find-postgres.mjs'
import { installConformanceTests } from './install-conformance-tests.mjs'
import { provideChromium } from './provide-chromium.mjs'
import { provideProxies } from './provide-proxies.mjs'
import { runBrowserTests } from './run-browser-tests.mjs'
import { setUp } from './setup.mjs'
import { startPostgres } from './start-postgres.mjs'
import {
  addResults,
  describeFailure,
  describeResults,
  noResults,
  readPlaywrightReport,
  readVitestReport,
} from './test-results.mjs'

/** @typedef {import('./test-results.mjs').Results} Results */

const reports = join(rootFolder, '.cache', 'test-reports')

const stageDeadlineMs = 30 * 60_000

await setUp()
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

// The programs that later stages need are downloaded while the first stages run.
const provided = Promise.all([installConformanceTests(), provideSystemPrograms()])

/** One after the other, because apt-get runs once at a time. Only CI gets proxies, which Debian starts on port 80. */
async function provideSystemPrograms() {
  await provideChromium()
  if (process.env['CI'] === 'true') await provideProxies()
}

const stages = [
  { name: 'Format, lint, types, unused code and architecture', run: runCheckStage },
  { name: 'Unit and integration tests, on SQLite and PostgreSQL', run: runUnitStage },
  { name: 'Browser tests', run: runBrowserStage },
]

let results = noResults
for (const { name, run } of stages) {
  console.log(`\n${name}`)
  const startedAt = Date.now()
  results = addResults(results, await catchExceptions(name, run))
  console.log(`${name}: ${Math.round((Date.now() - startedAt) / 1000)} s`)
}
console.log(`\n${describeResults(results)}`)
process.exitCode = results.failures.length === 0 ? 0 : 1

/**
 * Turns an exception into one failure.
 *
 * @param {string} name of the stage
 * @param {() => Promise<Results>} run
 * @returns {Promise<Results>}
 */
async function catchExceptions(name, run) {
  try {
    return await run()
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    console.error(text)
    return { ...noResults, failures: [describeFailure(name, text)] }
  }
}

/** @returns {Promise<Results>} */
async function runCheckStage() {
  const failures = await runChecks()
  return { ...noResults, failures }
}

/**
 * Runs the tests of the server beside all others, because both wait a third of their time. The output of the others is
 * printed when they have ended.
 *
 * @returns {Promise<Results>}
 */
async function runUnitStage() {
  const others = runVitest('units', ['!server'], {
    maxWorkers: availableParallelism(),
    quiet: true,
  })
  const [server, rest] = await Promise.all([catchExceptions('Tests of the server', runServerTests), others])
  return addResults(server, rest)
}

async function runServerTests() {
  await provided
  // Vitest itself finds a PostgreSQL that is already running.
  const started = (await findPostgres()) === undefined ? await startPostgres() : undefined
  try {
    return await runVitest('server', ['server'], {
      maxWorkers: availableParallelism() + 2,
      env: started === undefined ? {} : { TEST_DATABASE_URL: started.url },
    })
  } finally {
    await started?.stop()
  }
}

/**
 * @param {string} name of the report
 * @param {readonly string[]} projects of vitest.config.ts; `!name` takes all but this one
 * @param {{ maxWorkers: number, quiet?: boolean, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<Results>}
 */
async function runVitest(name, projects, { maxWorkers, quiet = false, env = {} }) {
  const report = join(reports, `${name}.json`)
  const { code, output } = await runTool(
    'vitest/vitest.mjs',
    [
      'run',
      ...projects.map((project) => `--project=${project}`),
      `--maxWorkers=${maxWorkers}`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    // A test that blocks the event loop cannot be stopped by the timeout of Vitest.
    { quiet, deadlineMs: stageDeadlineMs, env },
  )
  if (quiet) console.log(output.trimEnd())
  return readVitestReport(report, code, name)
}

/** Runs the browser tests against the built product. */
async function runBrowserStage() {
  const report = join(reports, 'playwright.json')
  const code = await runBrowserTests(['--reporter=list,json'], { PLAYWRIGHT_JSON_OUTPUT_FILE: report })
  if (code === undefined) return { ...noResults, failures: ['Browser tests: no Chromium was found'] }
  return readPlaywrightReport(report, code)
}
