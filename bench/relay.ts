import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { burst, paced, prompt } from './parts/bench-messages.ts'
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
  /** One stream after the other, for the time to the first token instead of the processor's. */
  readonly sequential: boolean
  /** At the same moment, where neither keeps the other waiting; else in turns, since each fills the machine. */
  readonly together: boolean
  /** To reach: a ratio to the bare relay, or milliseconds to the first token. */
  readonly most: number
}

const all: readonly Scenario[] = [
  {
    name: 'unthrottled',
    streams: 100,
    tokens: 2_000,
    model: burst(2_000),
    spread: 0,
    sequential: false,
    together: false,
    most: 1.6,
  },
  {
    name: 'paced',
    streams: 30,
    tokens: 300,
    model: paced(30, 300),
    spread: 33,
    sequential: false,
    together: true,
    most: 1.5,
  },
  // As many as it takes for the upstream alone to answer in what the goal assumes for it, 0.4 ms.
  {
    name: 'first token',
    streams: 300,
    tokens: 5,
    model: prompt(5),
    spread: 0,
    sequential: true,
    together: false,
    most: 3,
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
const note = (key: string, value: number): void => {
  figures.set(key, [...(figures.get(key) ?? []), value])
}
const figuresOf = (scenario: string, target: string): number[] => figures.get(`${scenario} ${target}`) ?? []

/** Milliseconds to the first token, or microseconds of processor time a token. */
async function measure(target: Target, scenario: Scenario): Promise<number> {
  const { model, streams, tokens, spread, sequential } = scenario
  const bodies = await target.bodies(model, streams)
  const before = target.process.cpu()
  const result = await runLoad({ url: target.url, headers: target.headers, bodies, spread, sequential })
  const used = target.process.cpu() - before
  if (result.tokens !== streams * tokens) {
    throw new Error(`${target.name}: ${result.tokens} tokens of ${streams * tokens}`)
  }
  return sequential ? median(result.firstToken) : used / result.tokens
}

// The first round warms up and is not counted.
for (let round = 0; round <= rounds; round++) {
  for (const scenario of scenarios) {
    // What a request costs here without anything between: absolute times say little without it.
    const asked = targets.filter(({ process }) => process !== upstream || scenario.sequential)
    // Now one first and now the other: the load before it is felt.
    const turns = round % 2 === 0 ? asked : asked.toReversed()
    const run = async (target: Target): Promise<void> => {
      const value = await measure(target, scenario)
      if (round > 0) note(`${scenario.name} ${target.name}`, value)
    }
    if (scenario.together) await Promise.all(turns.map(run))
    else for (const target of turns) await run(target)
  }
}

const show = (value: number): string => value.toFixed(value < 20 ? 2 : 1)
let reached = true
for (const { name, sequential, most } of scenarios) {
  const bare = figuresOf(name, 'bare relay')
  const own = figuresOf(name, 'product')
  // Within a round the two ran at the same moment or right after one another, on the same machine as far as that goes.
  const ratios = own.map((value, round) => value / (bare[round] ?? Number.NaN))
  const good = (sequential ? median(own) : median(ratios)) <= most
  reached &&= good
  const unit = sequential ? 'ms to the first token' : 'µs of processor time a token'
  const goal = sequential ? `at most ${most} ms, with the upstream alone at 0.4` : `at most ${most} x`
  const alone = sequential ? `, upstream alone ${show(median(figuresOf(name, 'upstream')))}` : ''
  const spread = `${show(Math.min(...ratios))} to ${show(Math.max(...ratios))}`
  console.log(
    `${name}: product ${show(median(own))}, bare relay ${show(median(bare))}${alone} ${unit}; ratio ${show(median(ratios))}, of ${spread} (to reach: ${goal}) ${good ? 'reached' : 'NOT REACHED'}`,
  )
}
await Promise.all([product.end(), relay.end(), upstream.end()])
rmSync(folder, { recursive: true, force: true })
process.exitCode = reached ? 0 : 1
