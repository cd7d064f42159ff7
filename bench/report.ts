import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { reportFolder, type StoredReport } from './parts/open-report.ts'
import { renderPage } from './parts/report-page.ts'

/* Writes one page with the figures of the last run of each measurement, and prints its address. */

const files = existsSync(reportFolder)
  ? readdirSync(reportFolder).filter((name) => name.endsWith('.json'))
  : []
if (files.length === 0) {
  console.error('There are no figures yet. Run a measurement first, such as `npm run bench append`.')
  process.exitCode = 1
} else {
  const reports = files
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(reportFolder, name), 'utf8')) as StoredReport)
  const page = join(reportFolder, 'report.html')
  writeFileSync(page, renderPage(reports))
  console.log(pathToFileURL(page).href)
}
