import { mkdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { runChecks } from './check-steps.mjs'
import { findPostgres } from './find-postgres.mjs'
import { provideChromium } from './provide-chromium.mjs'
import { installConformanceTests } from './install-conformance-tests.mjs'
import { runBrowserTests } from './run-browser-tests.mjs'
import { rootFolder, runTool } from './run-command.mjs'
import { installMissing, ensureSqlite } from './setup.mjs'
import { startPostgres } from './start-postgres.mjs'
import { addCounts, countPlaywright, countVitest, describeCounts, noCounts } from './test-counts.mjs'

/** @typedef {import('./test-counts.mjs').Counts} Counts */

const reports = join(rootFolder, '.cache', 'test-reports')

const stageDeadlineMs = 20 * 60_000

await installMissing()
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

// The programs that later stages need are downloaded or compiled while the first stages run.
const sqlite = ensureSqlite()
const provided = Promise.all([installConformanceTests(), provideChromium()])

const stages = [
  { name: 'Format, lint, types, unused code and architecture', run: runCheckStage },
  {
    name: 'Unit tests of contract, web and scripts',
    run: () => runVitest('units', ['contract', 'web', 'scripts']),
  },
  { name: 'Unit and integration tests of the server, on SQLite and PostgreSQL', run: runServerStage },
  { name: 'Browser tests', run: runBrowserStage },
]

let counts = noCounts
for (const { name, run } of stages) {
  console.log(`\n${name}`)
  const startedAt = Date.now()
  try {
    counts = addCounts(counts, await run())
  } catch (error) {
    console.error(error instanceof Error ? (error.stack ?? error.message) : error)
    counts = addCounts(counts, { ...noCounts, failed: 1 })
  }
  console.log(`${name}: ${Math.round((Date.now() - startedAt) / 1000)} s`)
}
console.log(`\n${describeCounts(counts)}`)
process.exitCode = counts.failed === 0 ? 0 : 1

/** @returns {Promise<Counts>} */
async function runCheckStage() {
  const failed = await runChecks()
  return { ...noCounts, failed: failed.length }
}

async function runServerStage() {
  await Promise.all([sqlite, provided])
  // Vitest itself finds a PostgreSQL that is already running.
  const started = (await findPostgres()) === undefined ? await startPostgres() : undefined
  try {
    return await runVitest('server', ['server'], {
      // Its tests of several processes wait a third of their time.
      maxWorkers: availableParallelism() + 2,
      env: started === undefined ? {} : { TEST_DATABASE_URL: started.url },
    })
  } finally {
    await started?.stop()
  }
}

/**
 * @param {string} name of the report
 * @param {readonly string[]} projects of vitest.config.ts
 * @param {{ maxWorkers?: number, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<Counts>}
 */
async function runVitest(name, projects, { maxWorkers, env = {} } = {}) {
  const report = join(reports, `${name}.json`)
  const { code } = await runTool(
    'vitest/vitest.mjs',
    [
      'run',
      ...projects.map((project) => `--project=${project}`),
      ...(maxWorkers === undefined ? [] : [`--maxWorkers=${maxWorkers}`]),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    // A test that blocks the event loop cannot be stopped by the timeout of Vitest.
    { deadlineMs: stageDeadlineMs, env },
  )
  return countVitest(report, code)
}

/** Runs the browser tests against the built product. */
async function runBrowserStage() {
  const report = join(reports, 'playwright.json')
  const code = await runBrowserTests(['--reporter=list,json'], { PLAYWRIGHT_JSON_OUTPUT_FILE: report })
  return code === undefined ? { ...noCounts, failed: 1 } : countPlaywright(report, code)
}
