import { paced } from './parts/bench-messages.ts'
import { openReport, quantile } from './parts/figures.ts'
import { openTargets, toLoad, type Target } from './parts/open-targets.ts'
import { runLoad } from './parts/run-load.ts'

/*
 * Measures how many streams of 30 tokens a second one process holds: 99 of 100 gaps between two arrivals of text are
 * short. The product and a bare relay take turns, so that other load on the machine affects both.
 */

const tokensPerSecond = 30
const seconds = 10
const rounds = Number(process.argv[2] ?? 3)
const maxGapMs = 100
const minHeldRatio = 0.9
/** The search for the highest number: the limits, and the precision as a ratio. */
const [minHeld, maxHeld] = [50, 1_600]
const heldPrecision = 1.04

const model = paced(tokensPerSecond, tokensPerSecond * seconds)
const { relay, product, end } = await openTargets([model])
const targets = [relay, product]

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
    const plan = { turn: null, spreadMs: Math.min(streams * 10, 3_000), settleMs: 1_500 }
    const [result] = await runLoad({ ...plan, targets: [await toLoad(this.target, model, streams)] })
    const gap = quantile(result?.gaps ?? [], 0.99)
    console.log(`  ${this.target.name}, ${streams} streams: p99 gap ${gap.toFixed(1)} ms`)
    if (gap < maxGapMs) this.#held = streams
    else this.#tooMany = streams
  }
}

const held = new Map<Target, number[]>()
for (let round = 0; round < rounds; round++) {
  const searches = targets.map((target) => new HeldSearch(target))
  while (searches.some(({ isDone }) => !isDone))
    for (const search of searches) if (!search.isDone) await search.next()
  for (const { target, result } of searches) held.set(target, [...(held.get(target) ?? []), result])
}
const report = openReport('streams')
report.add({
  name: `streams held with p99 gaps under ${maxGapMs} ms`,
  unit: 'streams',
  values: held.get(product) ?? [],
  counterpart: { name: relay.name, values: held.get(relay) ?? [], isPaired: true },
  goal: { minRatio: minHeldRatio },
})
report.finish()
await end()
