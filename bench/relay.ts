import { burst, instant, paced, type LoadResult, type LoadTarget } from './parts/bench-messages.ts'
import { median, openReport } from './parts/figures.ts'
import { openTargets, toLoad, type Target } from './parts/open-targets.ts'
import { runLoad } from './parts/run-load.ts'

/*
 * Compares the cost of a streamed token in the built product, with everything on, and in a bare relay, with the same
 * upstream and load. Absolute figures depend on the machine; the ratios are stable. With `OLD_BUILD=<clone>`, an older
 * build takes the place of the bare relay, and the goal is that the product costs at most 3 % more.
 */

/** Even, so that both run first equally often: the first one after a pause pays for code that V8 has discarded. */
const rounds = Number(process.argv[2] ?? 8)
/** Runs only scenarios whose name contains this. */
const filter = process.argv[3] ?? ''
const oldBuild = process.env['OLD_BUILD']
const maxOldRatio = 1.03

interface Scenario {
  readonly name: string
  /** The goal is for this number. A quarter of it shows how the cost grows. */
  readonly streams: number
  readonly tokens: number
  readonly model: string
  /** The streams start over this time. */
  readonly spreadMs: number
  /**
   * Measures the time to the first token instead of CPU time: this many streams in sequence for one target, then the
   * next target. Turns are short, so that other load on the machine affects all targets equally.
   */
  readonly turn: number | null
  /** Runs the targets at the same time, when neither slows the other down. Otherwise each fills the machine. */
  readonly together: boolean
  /** The goal: a ratio to the bare relay, or milliseconds to the first token. */
  readonly max: number
  /**
   * When `max` is in milliseconds: the time of the bare relay. On a machine where it takes longer, the ratio is the
   * goal.
   */
  readonly bareRelayMs: number | null
}

const all: readonly Scenario[] = [
  {
    name: 'unthrottled',
    streams: 100,
    tokens: 2_000,
    model: burst(2_000),
    spreadMs: 0,
    turn: null,
    together: false,
    max: 1.6,
    bareRelayMs: null,
  },
  {
    name: 'paced',
    streams: 100,
    tokens: 300,
    model: paced(30, 300),
    spreadMs: 33,
    turn: null,
    together: true,
    max: 1.5,
    bareRelayMs: null,
  },
  // Enough streams that the upstream alone responds in 0.4 ms, which the goal assumes.
  {
    name: 'first token',
    streams: 300,
    tokens: 5,
    model: instant(5),
    spreadMs: 0,
    turn: 25,
    together: false,
    max: 3,
    bareRelayMs: 0.9,
  },
]
const selectedScenarios = all.filter(({ name }) => name.includes(filter))
const scenarios = selectedScenarios.flatMap((scenario) => [
  { ...scenario, streams: Math.ceil(scenario.streams / 4), isJudged: false },
  { ...scenario, isJudged: true },
])

const models = selectedScenarios.map(({ model }) => model)
const { upstream, relay, product, old, end } = await openTargets(models, oldBuild)
const reference = old ?? relay
const targets: readonly Target[] = [upstream, reference, product]

const figures = scenarios.map((scenario) => ({ scenario, values: new Map<Target, number[]>() }))

/** Runs a scenario against the targets. */
async function load(loadTargets: readonly LoadTarget[], scenario: Scenario): Promise<readonly LoadResult[]> {
  const { streams, tokens, spreadMs, turn } = scenario
  const results = await runLoad({ targets: loadTargets, spreadMs, turn, settleMs: null })
  const missing = results.find((result) => result.tokens !== streams * tokens)
  if (missing !== undefined) throw new Error(`${missing.tokens} tokens of ${streams * tokens}`)
  return results
}

/** CPU microseconds per token, including work after the stream, such as indexing. */
async function measureCpu(target: Target, scenario: Scenario): Promise<number> {
  const loadTarget = await toLoad(target, scenario.model, scenario.streams)
  const before = target.process.cpuMicroseconds()
  await load([loadTarget], scenario)
  await target.process.waitUntilIdle()
  return (target.process.cpuMicroseconds() - before) / (scenario.streams * scenario.tokens)
}

/** Milliseconds to the first token for each target, in their order. */
async function measureFirstToken(
  selected: readonly Target[],
  scenario: Scenario,
): Promise<readonly number[]> {
  const results = await load(
    await Promise.all(selected.map((target) => toLoad(target, scenario.model, scenario.streams))),
    scenario,
  )
  return results.map(({ firstToken }) => median(firstToken))
}

async function measure(selected: readonly Target[], scenario: Scenario): Promise<readonly number[]> {
  if (scenario.turn !== null) return measureFirstToken(selected, scenario)
  if (scenario.together) return Promise.all(selected.map((target) => measureCpu(target, scenario)))
  const values: number[] = []
  for (const target of selected) values.push(await measureCpu(target, scenario))
  return values
}

// The first round warms up and is not counted.
for (let round = 0; round <= rounds; round++) {
  for (const { scenario, values } of figures) {
    // For times to the first token, the upstream alone is measured too.
    const selected = targets.filter((target) => target !== upstream || scenario.turn !== null)
    // The order alternates, because the load before affects the next target.
    const turns = round % 2 === 0 ? selected : selected.toReversed()
    const measured = await measure(turns, scenario)
    if (round === 0) continue
    for (const [index, target] of turns.entries())
      values.set(target, [...(values.get(target) ?? []), measured[index] ?? Number.NaN])
  }
}

const report = openReport('streams')
for (const { scenario, values } of figures) {
  const { name, streams: size, max, bareRelayMs, isJudged } = scenario
  const unit = bareRelayMs === null ? 'µs of CPU time per token' : 'ms'
  // On a machine where the bare relay takes longer too, the product may take proportionally longer.
  const relayGoal = bareRelayMs === null ? { maxRatio: max } : { max, orMaxRatio: max / bareRelayMs }
  const goal = old === undefined ? relayGoal : { maxRatio: maxOldRatio }
  const counterpart = { name: reference.name, values: values.get(reference) ?? [], isPaired: true }
  report.add({
    name,
    size,
    unit,
    values: values.get(product) ?? [],
    counterpart,
    goal: isJudged ? goal : {},
  })
  const alone = values.get(upstream)
  if (alone !== undefined) report.add({ name: `${name}, upstream alone`, size, unit, values: alone })
}
report.finish()
await end()
