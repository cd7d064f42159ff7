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

/** What is kept of a figure. */
export interface Summary {
  readonly name: string
  readonly size: number | null
  readonly unit: string
  readonly count: number
  readonly median: number
  readonly p95: number
  /** The quantile that is judged and compared. */
  readonly amount: number
  readonly counterpart: { readonly name: string; readonly amount: number; readonly ratio: number } | null
  /** Null when there is no goal, or one for the growth only. */
  readonly verdict: Verdict | null
  readonly maxGrowth: number | null
}

export interface Verdict {
  readonly isMet: boolean
  readonly goal: string
  /** Above 1 when the goal is missed. */
  readonly share: number
}

export interface Growth {
  readonly name: string
  /** The smallest size first. */
  readonly points: readonly { readonly size: number; readonly amount: number }[]
  readonly factor: number
  /** 0 for a constant cost, 1 for a linear one, 2 for a quadratic one. */
  readonly exponent: number
  readonly verdict: Verdict | null
}

/** The value below which this share of the values is. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(values.length * share))] ?? Number.NaN
}

/** For an even number, the larger of the two middle values. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Computes the quantiles of a figure, and compares it with its counterpart and its goal. */
export function summarize(figure: Figure): Summary {
  const { name, size = null, unit, values, goal = {} } = figure
  const amount = quantile(values, goal.at ?? 0.5)
  const counterpart = compare(figure, amount)
  return {
    name,
    size,
    unit,
    count: values.length,
    median: median(values),
    p95: quantile(values, 0.95),
    amount,
    counterpart,
    verdict: judge(goal, amount, counterpart?.ratio ?? Number.NaN),
    maxGrowth: goal.maxGrowth ?? null,
  }
}

function compare({ values, counterpart, goal }: Figure, amount: number): Summary['counterpart'] {
  if (counterpart === undefined) return null
  const { name, values: others, isPaired = false } = counterpart
  const other = quantile(others, goal?.at ?? 0.5)
  const ratio = isPaired
    ? median(values.map((value, round) => value / (others[round] ?? Number.NaN)))
    : amount / other
  return { name, amount: other, ratio }
}

function judge(goal: Goal, amount: number, ratio: number): Verdict | null {
  const { at = 0.5, max, orMaxRatio, maxRatio, minRatio } = goal
  const of = at === 0.5 ? '' : `p${Math.round(at * 100)} `
  if (max !== undefined) {
    const otherwise = orMaxRatio === undefined ? '' : `, or ${format(orMaxRatio)} x on a slower machine`
    const shares = [amount / max, ...(orMaxRatio === undefined ? [] : [ratio / orMaxRatio])]
    return toVerdict(`${of}at most ${format(max)}${otherwise}`, Math.min(...shares))
  }
  if (maxRatio !== undefined) return toVerdict(`${of}at most ${format(maxRatio)} x`, ratio / maxRatio)
  if (minRatio !== undefined) return toVerdict(`${of}at least ${format(minRatio)} x`, minRatio / ratio)
  return null
}

const toVerdict = (goal: string, share: number): Verdict => ({ goal, share, isMet: share <= 1 })

/** How the cost of each name with several sizes grows. */
export function listGrowth(summaries: readonly Summary[]): readonly Growth[] {
  const growth = [...new Set(summaries.map(({ name }) => name))].map((name) => {
    const sized = summaries.filter((summary) => summary.name === name)
    const points = sized
      .flatMap(({ size, amount }) => (size === null ? [] : [{ size, amount }]))
      .toSorted((a, b) => a.size - b.size)
    const [first, last] = [points[0], points.at(-1)]
    if (first === undefined || last === undefined || first.size === last.size) return []
    // A cost that was too small to be measured has no ratio.
    if (first.amount === 0) return []
    const factor = last.amount / first.amount
    const exponent = Math.log(factor) / Math.log(last.size / first.size)
    const max = sized.at(-1)?.maxGrowth ?? null
    const verdict = max === null ? null : toVerdict(`at most ${format(max)} x`, factor / max)
    return [{ name, points, factor, exponent, verdict }]
  })
  return growth.flat()
}

/** A number with about three significant digits. */
export function format(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
