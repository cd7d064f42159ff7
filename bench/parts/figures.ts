import { cpus, loadavg } from 'node:os'

/** The cost of something at one size. */
export interface Figure {
  readonly name: string
  /** How much was processed. Figures of one name with several sizes show how the cost grows. */
  readonly size?: number
  readonly unit: string
  readonly values: readonly number[]
  /** What the cost is compared with, such as the same work without the product or at the smallest size. */
  readonly counterpart?: {
    readonly name: string
    readonly values: readonly number[]
    /** Both have one value for each round. The ratio is taken within a round, under the same conditions. */
    readonly isPaired?: boolean
  }
  readonly goal?: Goal
}

export interface Goal {
  /** The quantile that is compared with the goal; the median by default. */
  readonly at?: number
  readonly max?: number
  /** The goal is also met with this ratio when `max` is missed: the machine is then slow for the counterpart too. */
  readonly orMaxRatio?: number
  readonly maxRatio?: number
  readonly minRatio?: number
  /** How many times the cost of the smallest size the largest size may cost. */
  readonly maxGrowth?: number
}

export interface Verdict {
  readonly isMet: boolean
  readonly goal: string
}

/** Collects the figures of one measurement. `sizeUnit` is what sizes count, such as messages. */
export function openReport(sizeUnit = '') {
  const figures: Figure[] = []
  const loadBefore = loadavg()[0] ?? 0
  const print = (line: string, verdict: Verdict | null): void => {
    console.log(
      verdict === null ? line : `${line} (goal: ${verdict.goal}) ${verdict.isMet ? 'met' : 'NOT MET'}`,
    )
    if (verdict?.isMet === false) process.exitCode = 1
  }
  return {
    /** Prints a figure. */
    add(figure: Figure): void {
      figures.push(figure)
      const { name, size, unit, values, counterpart } = figure
      const { other, ratio, verdict } = judge(figure)
      const sized = size === undefined ? '' : `, ${size.toLocaleString('en')} ${sizeUnit}`
      const spread = values.length < 2 ? '' : `, p95 ${format(quantile(values, 0.95))}`
      const compared =
        counterpart === undefined ? '' : `; ${counterpart.name} ${format(other)}, ratio ${format(ratio)}`
      print(`${name}${sized}: ${format(median(values))} ${unit}${spread}${compared}`, verdict)
    },
    /** Prints how costs grow, and sets the exit code to 1 when a goal is missed. */
    finish(): void {
      for (const { name, sizes, factor, exponent, verdict } of listGrowth(figures)) {
        const range = sizes.map((size) => size.toLocaleString('en')).join(' to ')
        print(
          `${name}, ${range} ${sizeUnit}: ${format(factor)} x the cost, exponent ${format(exponent)}`,
          verdict,
        )
      }
      console.log(
        `Node ${process.versions.node}, ${cpus().length} processors, load ${format(loadBefore)} before and ${format(loadavg()[0] ?? 0)} after`,
      )
    },
  }
}

/** The value below which this share of the values is. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(values.length * share))] ?? Number.NaN
}

/** For an even number, the larger of the two middle values. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

const amountOf = ({ values, goal }: Figure): number => quantile(values, goal?.at ?? 0.5)

/** Compares a figure with its counterpart and its goal. The verdict is null without a goal, or with one for the growth only. */
export function judge(figure: Figure): {
  readonly other: number
  readonly ratio: number
  readonly verdict: Verdict | null
} {
  const { values, counterpart, goal = {} } = figure
  const others = counterpart?.values ?? []
  const { at = 0.5, max, orMaxRatio, maxRatio, minRatio } = goal
  const amount = amountOf(figure)
  const other = quantile(others, at)
  const ratio =
    counterpart?.isPaired === true
      ? median(values.map((value, round) => value / (others[round] ?? Number.NaN)))
      : amount / other
  const of = at === 0.5 ? '' : `p${Math.round(at * 100)} `
  const toResult = (goal: string, isMet: boolean) => ({
    other,
    ratio,
    verdict: { goal: `${of}${goal}`, isMet },
  })
  if (max !== undefined) {
    const otherwise = orMaxRatio === undefined ? '' : `, or ${format(orMaxRatio)} x on a slower machine`
    const isMet = amount <= max || (orMaxRatio !== undefined && ratio <= orMaxRatio)
    return toResult(`at most ${format(max)}${otherwise}`, isMet)
  }
  if (maxRatio !== undefined) return toResult(`at most ${format(maxRatio)} x`, ratio <= maxRatio)
  if (minRatio !== undefined) return toResult(`at least ${format(minRatio)} x`, ratio >= minRatio)
  return { other, ratio, verdict: null }
}

/** How the cost of each name with several sizes grows. */
export function listGrowth(figures: readonly Figure[]) {
  return [...new Set(figures.map(({ name }) => name))].flatMap((name) => {
    const sized = figures
      .filter((figure) => figure.name === name)
      .toSorted((a, b) => (a.size ?? 0) - (b.size ?? 0))
    const [first, last] = [sized[0], sized.at(-1)]
    if (first?.size === undefined || last?.size === undefined || first.size === last.size) return []
    // A cost that was too small to be measured has no ratio.
    if (amountOf(first) === 0) return []
    const factor = amountOf(last) / amountOf(first)
    const exponent = Math.log(factor) / Math.log(last.size / first.size)
    const max = last.goal?.maxGrowth
    const verdict = max === undefined ? null : { goal: `at most ${format(max)} x`, isMet: factor <= max }
    // The exponent is 0 for a constant cost, 1 for a linear one, 2 for a quadratic one.
    return [{ name, sizes: [first.size, last.size], factor, exponent, verdict }]
  })
}

/** A number with about three significant digits. */
function format(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
