import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from './check-steps.mjs'
import { findPostgres } from './find-postgres.mjs'
import { provideChromium } from './provide-chromium.mjs'
import { provideConformance } from './provide-conformance.mjs'
import { runBrowserTests } from './run-browser-tests.mjs'
import { rootFolder, runTool } from './run-command.mjs'
import { setUp } from './setup.mjs'
import { startPostgres } from './start-postgres.mjs'
import { addCounts, countPlaywright, countVitest, describeCounts, noCounts } from './test-counts.mjs'

const reports = join(rootFolder, '.cache', 'test-reports')

const stageDeadlineMs = 20 * 60_000

await setUp()
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

// What later stages need comes over the network while the checks compute.
const provided = Promise.all([provideConformance(), provideChromium()])

let counts = noCounts
for (const run of [runCheckStage, runVitestStage, runBrowserStage]) {
  try {
    counts = addCounts(counts, await run())
  } catch (error) {
    console.error(error instanceof Error ? (error.stack ?? error.message) : error)
    counts = addCounts(counts, { ...noCounts, failed: 1 })
  }
}
console.log(`\n${describeCounts(counts)}`)
process.exitCode = counts.failed === 0 ? 0 : 1

async function runCheckStage() {
  console.log('\nChecking format, lint, types, unused code and architecture')
  const failed = await runChecks()
  return { ...noCounts, failed: failed.length }
}

/** Unit and integration tests, on SQLite and on PostgreSQL. */
async function runVitestStage() {
  await provided
  console.log('\nUnit and integration tests')
  // Vitest itself finds a PostgreSQL that runs already.
  const started = (await findPostgres()) === undefined ? await startPostgres() : undefined
  try {
    const report = join(reports, 'vitest.json')
    const { code } = await runTool(
      'vitest/vitest.mjs',
      ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
      {
        // A test that never gives way to a timer cannot be ended by its own time limit.
        deadlineMs: stageDeadlineMs,
        env: started === undefined ? {} : { TEST_DATABASE_URL: started.url },
      },
    )
    return countVitest(report, code)
  } finally {
    await started?.stop()
  }
}

/** User sentences against the built product in Chromium. */
async function runBrowserStage() {
  console.log('\nBrowser tests')
  const report = join(reports, 'playwright.json')
  const code = await runBrowserTests(['--reporter=list,json'], { PLAYWRIGHT_JSON_OUTPUT_FILE: report })
  return code === undefined ? { ...noCounts, failed: 1 } : countPlaywright(report, code)
}
