import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { rootFolder } from '../../bin/run-command.mjs'
import {
  format,
  listGrowth,
  summarize,
  type Figure,
  type Growth,
  type Summary,
  type Verdict,
} from './figures.ts'

/** Contains the last run of each measurement, from which `npm run bench report` writes a page. */
export const reportFolder = join(rootFolder, '.cache', 'bench')

/** One run of a measurement, as it is stored. */
export interface StoredReport {
  readonly name: string
  /** What sizes count, such as messages. */
  readonly sizeUnit: string
  readonly measuredAt: string
  /** The conditions of the run. */
  readonly machine: string
  readonly figures: readonly Summary[]
}

export interface Report {
  /** Prints a figure and keeps it. */
  add(figure: Figure): void
  /** Prints how costs grow, stores the figures, and sets the exit code to 1 when a goal is missed. */
  finish(): void
}

/** Collects the figures of one measurement. */
export function openReport(name: string, sizeUnit: string): Report {
  const figures: Summary[] = []
  const loadBefore = loadavg()[0] ?? 0
  return {
    add(figure) {
      const summary = summarize(figure)
      figures.push(summary)
      console.log(describe(summary, sizeUnit))
    },
    finish() {
      const growths = listGrowth(figures)
      for (const growth of growths) console.log(describeGrowth(growth, sizeUnit))
      const report: StoredReport = {
        name,
        sizeUnit,
        measuredAt: new Date().toISOString(),
        machine: `Node ${process.versions.node}, ${cpus().length} processors, load ${format(loadBefore)} before and ${format(loadavg()[0] ?? 0)} after`,
        figures,
      }
      console.log(report.machine)
      mkdirSync(reportFolder, { recursive: true })
      writeFileSync(join(reportFolder, `${name}.json`), JSON.stringify(report))
      if ([...figures, ...growths].some(({ verdict }) => verdict?.isMet === false)) process.exitCode = 1
    },
  }
}

function describe(summary: Summary, sizeUnit: string): string {
  const { name, size, unit, count, median, p95, counterpart, verdict } = summary
  const sized = size === null ? '' : `, ${size.toLocaleString('en')} ${sizeUnit}`
  const spread = count < 2 ? '' : `, p95 ${format(p95)}`
  const compared =
    counterpart === null
      ? ''
      : `; ${counterpart.name} ${format(counterpart.amount)}, ratio ${format(counterpart.ratio)}`
  return `${name}${sized}: ${format(median)} ${unit}${spread}${compared}${describeVerdict(verdict)}`
}

function describeGrowth({ name, points, factor, exponent, verdict }: Growth, sizeUnit: string): string {
  const sizes = points.map(({ size }) => size.toLocaleString('en')).join(' to ')
  return `${name}, ${sizes} ${sizeUnit}: ${format(factor)} x the cost, exponent ${format(exponent)}${describeVerdict(verdict)}`
}

function describeVerdict(verdict: Verdict | null): string {
  return verdict === null ? '' : ` (goal: ${verdict.goal}) ${verdict.isMet ? 'met' : 'NOT MET'}`
}
