import { setTimeout as wait } from 'node:timers/promises'
import { paced } from './parts/bench-messages.ts'
import { median, openReport } from './parts/figures.ts'
import { openTargets, toLoad, type Target } from './parts/open-targets.ts'
import { runLoad } from './parts/run-load.ts'

/*
 * Measures the memory of a thousand slow streams: how much the resident memory of a process grows from the load before,
 * which has warmed it up. The model is offered the tools that every user has. With `OLD_BUILD=<clone>`, an older build
 * is measured too.
 */

const rounds = Number(process.argv[2] ?? 3)
const streams = 1_000
const [tokensPerSecond, seconds] = [1, 20]
const spreadMs = 5_000
/** From the start of the load: all streams run, and what their starts left behind is collected. */
const measuredFromMs = 12_000
const samples = 20
const sampleMs = 300
const maxRatio = 1.5

const model = paced(tokensPerSecond, tokensPerSecond * seconds)
const values = new Map<string, number[]>()
for (let round = 0; round < rounds; round++) {
  // A process gives memory back late, so each round has new ones.
  const { relay, product, old, end } = await openTargets([model], process.env['OLD_BUILD'])
  for (const target of [relay, product, old].filter((each) => each !== undefined)) {
    const megabytes = await measure(target)
    values.set(target.name, [...(values.get(target.name) ?? []), megabytes])
    console.log(`  ${target.name}: ${megabytes.toFixed(1)} MB`)
  }
  await end()
}
const report = openReport('streams')
for (const name of ['product', 'old build'].filter((each) => values.has(each)))
  report.add({
    name: `memory of slow streams, ${name}`,
    size: streams,
    unit: 'MB',
    values: values.get(name) ?? [],
    counterpart: { name: 'bare relay', values: values.get('bare relay') ?? [], isPaired: true },
    goal: name === 'product' ? { maxRatio } : {},
  })
report.finish()

/** Megabytes that the streams add. */
async function measure(target: Target): Promise<number> {
  const load = await toLoad(target, model, streams)
  await target.process.waitUntilIdle()
  const before = target.process.memoryBytes()
  const running = runLoad({ targets: [load], spreadMs, turn: null, settleMs: null })
  await wait(measuredFromMs)
  const during: number[] = []
  for (let sample = 0; sample < samples; sample++) {
    during.push(target.process.memoryBytes())
    await wait(sampleMs)
  }
  await running
  return (median(during) - before) / 1_000_000
}
