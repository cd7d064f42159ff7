import { compareNumbers, ExactNumber, isWholeNumber } from '@yonder/contract/lib/exact-json'

/** Replaces numbers by doubles for a validator that knows only those. */
interface ComparableNumbers {
  /** Whether there is a number that a double cannot hold. Otherwise nothing is replaced. */
  readonly areReplaced: boolean
  replace(value: unknown): unknown
  /** Returns a text about the values with the numbers as they were written. */
  restore(text: string): string
}

/** No overflow, and room above it for as many as there can be. */
const largest = 1e308

/**
 * Assigns a double to each number in these JSON values so that they compare as the numbers do: equal ones get the same
 * double, larger ones a larger one, and one that is not whole gets one that is not either, up to 2^53. It is the nearest
 * double unless another number has that.
 */
export function createComparableNumbers(values: readonly unknown[]): ComparableNumbers {
  const sources = new Set<string>()
  const areReplaced = collect(values, sources)
  if (!areReplaced) return { areReplaced, replace: (value) => value, restore: (text) => text }
  const doubles = new Map<string, number>()
  const written = new Map<string, string>()
  let [before, last] = ['', -Infinity]
  for (const source of [...sources].sort(compareNumbers)) {
    if (before === '' || compareNumbers(before, source) !== 0) last = Math.max(nearest(source), after(last))
    doubles.set(source, last)
    written.set(String(last), source)
    before = source
  }
  const replace = (value: unknown): unknown => {
    if (typeof value === 'number' || value instanceof ExactNumber) return doubles.get(String(value))
    if (Array.isArray(value)) return value.map(replace)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item)]))
  }
  return {
    areReplaced,
    replace,
    restore: (text) =>
      text.replaceAll(/-?\d+(?:\.\d+)?(?:e[+-]\d+)?/g, (number) => written.get(number) ?? number),
  }
}

/** Adds the numbers of a value; returns whether there is one that a double cannot hold. */
function collect(value: unknown, sources: Set<string>): boolean {
  if (typeof value === 'number' || value instanceof ExactNumber) {
    sources.add(String(value))
    return typeof value !== 'number'
  }
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value)
    .map((item) => collect(item, sources))
    .includes(true)
}

function nearest(source: string): number {
  const double = Math.min(Math.max(Number(source), -largest), largest)
  if (!Number.isInteger(double) || isWholeNumber(source)) return double
  return compareNumbers(source, String(double)) > 0 ? after(double) : -after(-double)
}

/** The next larger double. */
function after(double: number): number {
  if (double === -Infinity) return -Number.MAX_VALUE
  if (double === 0) return Number.MIN_VALUE
  const bits = new BigInt64Array(1)
  const view = new Float64Array(bits.buffer)
  view[0] = double
  bits[0] = (bits[0] ?? 0n) + (double > 0 ? 1n : -1n)
  return view[0]
}
