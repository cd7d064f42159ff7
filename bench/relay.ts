import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { burst, paced, prompt } from './parts/bench-messages.ts'
import type { LoadResult, LoadTarget } from './parts/bench-messages.ts'
import { runLoad } from './parts/run-load.ts'
import { partPath, startProcess } from './parts/start-process.ts'
import type { Running } from './parts/start-process.ts'
import { startProduct } from './parts/start-measured-product.ts'

/*
 * What a streamed token costs: the built product with everything on, beside a bare relay, on the same upstream and load.
 * Absolute figures drift with the machine; the ratios hold.
 */

/** Even, so that each of the two runs first as often as last: who comes after a pause pays for what V8 put away meanwhile. */
const rounds = Number(process.argv[2] ?? 8)
/** A part of a scenario's name, to run no other. */
const chosen = process.argv[3] ?? ''

interface Scenario {
  readonly name: string
  readonly streams: number
  readonly tokens: number
  readonly model: string
  /** Milliseconds over which the streams begin. */
  readonly spread: number
  /**
   * Streams that one target answers, one after the other, before it is the next one's turn: for the time to the first token
   * instead of the processor's. Turns are short, so that what else the machine does meets all targets alike.
   */
  readonly turn: number | null
  /** At the same moment, where neither keeps the other waiting; else in turns, since each fills the machine. */
  readonly together: boolean
  /** To reach: a ratio to the bare relay, or milliseconds to the first token. */
  readonly most: number
  /** What the bare relay takes where `most` is milliseconds. Where it takes longer, the ratio of the two is to be reached. */
  readonly bare: number | null
}

const all: readonly Scenario[] = [
  {
    name: 'unthrottled',
    streams: 100,
    tokens: 2_000,
    model: burst(2_000),
    spread: 0,
    turn: null,
    together: false,
    most: 1.6,
    bare: null,
  },
  {
    name: 'paced',
    streams: 30,
    tokens: 300,
    model: paced(30, 300),
    spread: 33,
    turn: null,
    together: true,
    most: 1.5,
    bare: null,
  },
  // As many as it takes for the upstream alone to answer in what the goal assumes for it, 0.4 ms.
  {
    name: 'first token',
    streams: 300,
    tokens: 5,
    model: prompt(5),
    spread: 0,
    turn: 25,
    together: false,
    most: 3,
    bare: 0.9,
  },
]
const scenarios = all.filter(({ name }) => name.includes(chosen))

interface Target {
  readonly name: string
  readonly process: Running
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** One body for each stream. */
  bodies(model: string, count: number): Promise<readonly unknown[]>
}

/** Of an even number, the larger of the two in the middle. */
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const upstream = await startProcess(partPath('scripted-upstream'))
const folder = mkdtempSync(join(tmpdir(), 'yonder-relay-'))
const relay = await startProcess(partPath('bare-relay'), [upstream.line, join(folder, 'bare.sqlite')])
const product = await startProduct(
  upstream.line,
  scenarios.map(({ model }) => model),
)
const messages = [{ role: 'user', content: 'go' }]
const targets: readonly Target[] = [
  {
    name: 'upstream',
    process: upstream,
    url: `${upstream.line}/v1/chat/completions`,
    headers: {},
    bodies: (model, count) => Promise.resolve(Array.from({ length: count }, () => ({ model }))),
  },
  {
    name: 'bare relay',
    process: relay,
    url: relay.line,
    headers: {},
    bodies: (model, count) =>
      Promise.resolve(Array.from({ length: count }, () => ({ model, messages, stream: true }))),
  },
  {
    name: 'product',
    process: product,
    url: `${product.base}/api/chat/completions`,
    headers: product.headers,
    bodies: async (model, count) =>
      (await product.newChats(count)).map((chatId) => ({ chatId, botName: model, content: 'go' })),
  },
]

const figures = new Map<string, number[]>()
const note = (scenario: Scenario, target: Target, value: number): void => {
  const key = `${scenario.name} ${target.name}`
  figures.set(key, [...(figures.get(key) ?? []), value])
}
const figuresOf = (scenario: string, target: string): number[] => figures.get(`${scenario} ${target}`) ?? []

/** Asks the targets what a scenario says and gives what became of each. */
async function load(asked: readonly LoadTarget[], scenario: Scenario): Promise<readonly LoadResult[]> {
  const { streams, tokens, spread, turn } = scenario
  const results = await runLoad({ targets: asked, spread, turn })
  const missing = results.find((result) => result.tokens !== streams * tokens)
  if (missing !== undefined) throw new Error(`${missing.tokens} tokens of ${streams * tokens}`)
  return results
}

const toLoad = async (target: Target, { model, streams }: Scenario): Promise<LoadTarget> => ({
  url: target.url,
  headers: target.headers,
  bodies: await target.bodies(model, streams),
})

/** Microseconds of processor time a token, with what is done after the stream, such as indexing. */
async function measureWork(target: Target, scenario: Scenario): Promise<number> {
  const asked = await toLoad(target, scenario)
  const before = target.process.cpu()
  await load([asked], scenario)
  await target.process.rest()
  return (target.process.cpu() - before) / (scenario.streams * scenario.tokens)
}

/** Milliseconds to the first token of each target, in their order. */
async function measureWait(asked: readonly Target[], scenario: Scenario): Promise<readonly number[]> {
  const results = await load(await Promise.all(asked.map((target) => toLoad(target, scenario))), scenario)
  return results.map(({ firstToken }) => median(firstToken))
}

async function measure(asked: readonly Target[], scenario: Scenario): Promise<readonly number[]> {
  if (scenario.turn !== null) return measureWait(asked, scenario)
  if (scenario.together) return Promise.all(asked.map((target) => measureWork(target, scenario)))
  const values: number[] = []
  for (const target of asked) values.push(await measureWork(target, scenario))
  return values
}

// The first round warms up and is not counted.
for (let round = 0; round <= rounds; round++) {
  for (const scenario of scenarios) {
    // What a request costs here without anything between: absolute times say little without it.
    const asked = targets.filter(({ process }) => process !== upstream || scenario.turn !== null)
    // Now one first and now the other: the load before it is felt.
    const turns = round % 2 === 0 ? asked : asked.toReversed()
    const values = await measure(turns, scenario)
    if (round > 0)
      for (const [index, target] of turns.entries()) note(scenario, target, values[index] ?? Number.NaN)
  }
}

const show = (value: number): string => value.toFixed(value < 20 ? 2 : 1)

type Verdict = 'reached' | 'reached as a ratio, on a slower machine' | 'NOT REACHED'

/** Milliseconds are judged as such; a machine that takes longer for the bare relay too may take as many times longer. */
function judge({ most, bare }: Scenario, own: number, ratio: number): Verdict {
  if (bare === null) return ratio <= most ? 'reached' : 'NOT REACHED'
  if (own <= most) return 'reached'
  return ratio <= most / bare ? 'reached as a ratio, on a slower machine' : 'NOT REACHED'
}

function tell(scenario: Scenario): Verdict {
  const { name, most, bare } = scenario
  const relayed = figuresOf(name, 'bare relay')
  const own = figuresOf(name, 'product')
  // Within a round the two ran at the same moment or in turn, on the same machine as far as that goes.
  const ratios = own.map((value, round) => value / (relayed[round] ?? Number.NaN))
  const verdict = judge(scenario, median(own), median(ratios))
  const unit = bare === null ? 'µs of processor time a token' : 'ms to the first token'
  const alone = bare === null ? '' : `, upstream alone ${show(median(figuresOf(name, 'upstream')))}`
  const goal =
    bare === null
      ? `${most} x`
      : `${most} ms, or ${show(most / bare)} x where the bare relay takes over ${bare}`
  console.log(
    `${name}: product ${show(median(own))}, bare relay ${show(median(relayed))}${alone} ${unit}; ratio ${show(median(ratios))}, of ${show(Math.min(...ratios))} to ${show(Math.max(...ratios))} (to reach: at most ${goal}) ${verdict}`,
  )
  return verdict
}

const verdicts = scenarios.map(tell)
await Promise.all([product.end(), relay.end(), upstream.end()])
rmSync(folder, { recursive: true, force: true })
process.exitCode = verdicts.includes('NOT REACHED') ? 1 : 0
