import { paced, timed, type LoadResult } from './parts/bench-messages.ts'
import { openReport, quantile } from './parts/figures.ts'
import { openTargets, toLoad, type Target } from './parts/open-targets.ts'
import { runLoad } from './parts/run-load.ts'

/*
 * Measures how soon a reader gets the text of streams of 30 tokens a second, what a token costs, and how many such
 * streams one process holds. The product and a bare relay take turns, so that other load on the machine affects both.
 */

const tokensPerSecond = 30
const seconds = 10
const settleMs = 1_500
const rounds = Number(process.argv[2] ?? 3)
/** Runs only parts whose name contains this: `delay` or `held`. */
const filter = process.argv[3] ?? ''

/** Streams at once for the time to the reader, and for the processor time per token. */
const delayStreams = [1, 8, 30, 100, 300]
/** The goal for at most `maxGoalStreams` streams: the median time to the reader. */
const maxDelayMs = 25
const maxGoalStreams = 8
/** A process holds a number of streams when 99 of 100 gaps between two arrivals of text are below this. */
const maxGapMs = 100
const minHeldRatio = 0.9
/** The search for the highest number that it holds: the limits, and the precision as a ratio. */
const [minHeld, maxHeld] = [50, 1_600]
const heldPrecision = 1.04

const models = {
  timed: timed(tokensPerSecond, tokensPerSecond * seconds),
  paced: paced(tokensPerSecond, tokensPerSecond * seconds),
}
const { relay, product, end } = await openTargets(Object.values(models))
const targets = [relay, product]

async function load(target: Target, model: string, streams: number): Promise<LoadResult> {
  const plan = { turn: null, spreadMs: Math.min(streams * 10, 3_000), settleMs }
  const [result] = await runLoad({ ...plan, targets: [await toLoad(target, model, streams)] })
  if (result === undefined) throw new Error('A load has no result.')
  return result
}

const report = openReport('streams')

async function measureDelays(streams: number): Promise<void> {
  const delays = new Map<Target, number[]>()
  const costs = new Map<Target, number[]>()
  for (let round = 0; round < rounds; round++) {
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const before = target.process.cpuMicroseconds()
      const result = await load(target, models.timed, streams)
      await target.process.waitUntilIdle()
      const cost = (target.process.cpuMicroseconds() - before) / result.tokens
      costs.set(target, [...(costs.get(target) ?? []), cost])
      delays.set(target, [...(delays.get(target) ?? []), ...result.delays])
    }
  }
  report.add({
    name: 'text to the reader',
    size: streams,
    unit: 'ms',
    values: delays.get(product) ?? [],
    counterpart: { name: relay.name, values: delays.get(relay) ?? [] },
    goal: streams <= maxGoalStreams ? { max: maxDelayMs } : {},
  })
  report.add({
    name: 'CPU time of a token',
    size: streams,
    unit: 'µs',
    values: costs.get(product) ?? [],
    counterpart: { name: relay.name, values: costs.get(relay) ?? [], isPaired: true },
  })
}

/** Finds the most streams that a target holds, by bisection. `next` takes one step, so that targets can take turns. */
class HeldSearch {
  readonly target: Target
  #held = minHeld
  #tooMany = maxHeld

  constructor(target: Target) {
    this.target = target
  }

  get result(): number {
    return this.#held
  }

  get isDone(): boolean {
    return this.#tooMany / this.#held < heldPrecision
  }

  async next(): Promise<void> {
    const streams = Math.round(Math.sqrt(this.#held * this.#tooMany))
    const { gaps } = await load(this.target, models.paced, streams)
    const gap = quantile(gaps, 0.99)
    console.log(`  ${this.target.name}, ${streams} streams: p99 gap ${gap.toFixed(1)} ms`)
    if (gap < maxGapMs) this.#held = streams
    else this.#tooMany = streams
  }
}

async function measureHeld(): Promise<void> {
  const held = new Map<Target, number[]>()
  for (let round = 0; round < rounds; round++) {
    const searches = targets.map((target) => new HeldSearch(target))
    while (searches.some(({ isDone }) => !isDone))
      for (const search of searches) if (!search.isDone) await search.next()
    for (const { target, result } of searches) held.set(target, [...(held.get(target) ?? []), result])
  }
  report.add({
    name: `streams held with p99 gaps under ${maxGapMs} ms`,
    unit: 'streams',
    values: held.get(product) ?? [],
    counterpart: { name: relay.name, values: held.get(relay) ?? [], isPaired: true },
    goal: { minRatio: minHeldRatio },
  })
}

if ('delay'.includes(filter)) for (const streams of delayStreams) await measureDelays(streams)
if ('held'.includes(filter)) await measureHeld()
report.finish()
await end()
