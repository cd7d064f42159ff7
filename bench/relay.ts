import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { burst, paced, prompt } from './parts/bench-messages.ts'
import { runLoad } from './parts/run-load.ts'
import { partPath, startProcess } from './parts/start-process.ts'
import type { Running } from './parts/start-process.ts'
import { startProduct } from './parts/start-measured-product.ts'

/*
 * What a streamed token costs: the built product with everything on, beside a bare relay, on the same upstream and load, in
 * turns. Absolute figures drift with the machine; the ratios hold.
 */

const rounds = Number(process.argv[2] ?? 5)
/** A part of a scenario's name, to run no other. */
const chosen = process.argv[3] ?? ''
/** `most` is a ratio to the bare relay, or milliseconds to the first token where streams are sequential. */
const scenarios = (
  [
    {
      name: 'unthrottled',
      streams: 100,
      tokens: 2_000,
      model: burst(2_000),
      spread: 0,
      sequential: false,
      most: 1.6,
    },
    {
      name: 'paced',
      streams: 30,
      tokens: 300,
      model: paced(30, 300),
      spread: 33,
      sequential: false,
      most: 1.5,
    },
    // As many as it takes for the upstream alone to answer in what the goal assumes for it, 0.4 ms.
    { name: 'first token', streams: 300, tokens: 5, model: prompt(5), spread: 0, sequential: true, most: 3 },
  ] as const
).filter(({ name }) => name.includes(chosen))

interface Target {
  readonly name: string
  readonly process: Running
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** One body for each stream. */
  bodies(model: string, count: number): Promise<readonly unknown[]>
}

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

// The first round warms up and is not counted.
for (let round = 0; round <= rounds; round++) {
  for (const { name, streams, tokens, model, spread, sequential } of scenarios) {
    // Now one first and now the other: the load before it is felt.
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      // What a request costs here without anything between: absolute times say little without it.
      if (target.name === 'upstream' && !sequential) continue
      const bodies = await target.bodies(model, streams)
      const before = target.process.cpu()
      const result = await runLoad({ url: target.url, headers: target.headers, bodies, spread, sequential })
      const used = target.process.cpu() - before
      if (result.tokens !== streams * tokens) {
        throw new Error(`${target.name}: ${result.tokens} tokens of ${streams * tokens}`)
      }
      if (round === 0) continue
      note(`${name} ${target.name}`, sequential ? median(result.firstToken) : used / result.tokens)
    }
  }
}

const show = (value: number): string => value.toFixed(value < 20 ? 2 : 1)
let reached = true
for (const { name, sequential, most } of scenarios) {
  const bare = figuresOf(name, 'bare relay')
  const own = figuresOf(name, 'product')
  // Within a round the two ran one right after the other, on the same machine as far as that goes.
  const ratios = own.map((value, round) => value / (bare[round] ?? Number.NaN))
  const good = (sequential ? median(own) : median(ratios)) <= most
  reached &&= good
  const unit = sequential ? 'ms to the first token' : 'µs of processor time a token'
  const goal = sequential ? `at most ${most} ms` : `at most ${most} x`
  const alone = sequential ? `, upstream alone ${show(median(figuresOf(name, 'upstream')))}` : ''
  const spread = `${show(Math.min(...ratios))} to ${show(Math.max(...ratios))}`
  console.log(
    `${name}: product ${show(median(own))}, bare relay ${show(median(bare))}${alone} ${unit}; ratio ${show(median(ratios))}, of ${spread} (to reach: ${goal}) ${good ? 'reached' : 'NOT REACHED'}`,
  )
}
await Promise.all([product.end(), relay.end(), upstream.end()])
rmSync(folder, { recursive: true, force: true })
process.exitCode = reached ? 0 : 1
