import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { AttackedProduct } from './parts/bench-messages.ts'
import { openReport } from './parts/open-report.ts'
import { partPath, startProcess } from './parts/start-process.ts'

/*
 * Measures the reads of one user while another user repeatedly makes several calls at the same time to a hostile MCP
 * server. Compares them with quiet times of the same run. The hostile server is another process and competes for
 * processor time, so the results of the polite server show how much slower reads become from calls alone. The longest
 * turn of the event loop is processor time, which depends less on other load than the reads do.
 */

/** Runs only behaviours whose name contains this. */
const filter = process.argv[2] ?? ''
/** Each round has a quiet part and an attacked part for each number of calls, so that other load affects all. */
const rounds = Number(process.argv[3] ?? 4)
const roundMs = 1_500
/** Milliseconds between the starts of two reads; a slow read does not delay the next one. */
const readEveryMs = 10
/** Milliseconds between two attacks. */
const pauseMs = 500
const maxRatio = 2
/** Numbers of simultaneous calls: a quarter of the limit of a user, and the limit. */
const callsAtOnce = [2, 8]

/** Servers whose list of tools is expensive to read; connecting to them is the attack. */
const lists = ['huge-list', 'cursor', 'alternatives', 'many', 'zeros', 'malformed', 'large-list']
const calls = [
  'polite',
  // Responses that never come, never end, have another id or are too large.
  'silent-call',
  'drip',
  'progress',
  'wrong-id',
  'reconnect-storm',
  'huge-call',
  'huge-stream',
  'bomb',
  // Results that are expensive to read or hostile, and messages that were not requested.
  'deep',
  'blocks',
  'long-text',
  'wide-numbers',
  'wide-lists',
  'wide-objects',
  'injection',
  'events',
  'events-named',
  'elicitation-flood',
  'list-changed',
  // Floods of lines with each kind of line ending, and messages of many parts.
  'cr-events',
  'lf-events',
  'crlf-events',
  'cr-lines',
  'lf-lines',
  'comments',
  'empty-events',
  'notifications',
  'id-events',
  'one-event-of-lines',
  'huge-event',
  'many-keys',
  'many-keys-event',
  'escapes',
  'large-error',
  'large-refusal',
  'large-notification',
  'large-elicitation',
  'single-bytes',
]
const attacks = [
  ...calls.map((behaviour) => ({ behaviour, path: '/call?' })),
  ...lists.map((behaviour) => ({ behaviour, path: `/connect?behaviour=${behaviour}&` })),
]

const product = await startProcess(partPath('attacked-product'))
const { base, token, control: controlBase } = JSON.parse(product.line) as AttackedProduct

/** Options of `node:http`, because `fetch` cannot send a Host header that differs from the address. */
const options = {
  agent: new Agent({ keepAlive: true }),
  headers: { authorization: `Bearer ${token}`, host: 'localhost:3000' },
}

async function readOnce(): Promise<number> {
  const start = performance.now()
  const [response] = (await once(get(`${base}/api/mcp-servers`, options), 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== 200) throw new Error(`A read failed with status ${response.statusCode}.`)
  return performance.now() - start
}

/** Returns the times of reads, in milliseconds, until the signal aborts. */
async function read(signal: AbortSignal): Promise<number[]> {
  const reads: Promise<number>[] = []
  while (!signal.aborted) {
    reads.push(readOnce())
    await wait(readEveryMs)
  }
  return Promise.all(reads)
}

async function control(path: string): Promise<string[]> {
  return (await (await fetch(`${controlBase}${path}`)).json()) as string[]
}

/** Attacks again and again until the signal aborts. Returns the outcomes. */
async function attack(path: string, signal: AbortSignal): Promise<string[]> {
  const outcomes = new Set<string>()
  while (!signal.aborted) {
    for (const outcome of await Promise.race([control(path), aborted(signal)])) outcomes.add(outcome)
    await Promise.race([wait(pauseMs), aborted(signal)])
  }
  return [...outcomes]
}

function aborted(signal: AbortSignal): Promise<string[]> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve([])
    signal.addEventListener('abort', () => resolve([]), { once: true })
  })
}

// Loads the code and opens the files that the measured reads and calls need.
for (const behaviour of ['large-list', 'huge-event', 'polite']) {
  await control(`/connect?behaviour=${behaviour}`)
  await control('/call')
}
await read(AbortSignal.timeout(2_000))
const report = openReport('hostile-servers', 'calls at once')
for (const { behaviour, path } of attacks.filter((each) => each.behaviour.includes(filter))) {
  await control(`/connect?behaviour=${behaviour}`)
  const outcomes = new Set<string>()
  const quiet: number[] = []
  const attacked = callsAtOnce.map((count) => ({
    count,
    times: Array.of<number>(),
    turns: Array.of<number>(),
  }))
  for (let round = 0; round < rounds; round++) {
    quiet.push(...(await read(AbortSignal.timeout(roundMs))))
    for (const { count, times, turns } of attacked) {
      await control('/longest-turn')
      const end = AbortSignal.timeout(roundMs)
      const [readTimes, ended] = await Promise.all([read(end), attack(`${path}count=${count}`, end)])
      times.push(...readTimes)
      turns.push(Number((await control('/longest-turn'))[0]))
      for (const outcome of ended) outcomes.add(outcome)
    }
  }
  for (const { count, times, turns } of attacked) {
    report.add({
      name: behaviour,
      size: count,
      unit: 'ms',
      values: times,
      counterpart: { name: 'quiet', values: quiet },
      goal: { at: 0.99, maxRatio },
    })
    report.add({
      name: `${behaviour}, longest turn`,
      size: count,
      unit: 'ms of processor time',
      values: turns,
    })
  }
  console.log(`  outcomes: ${[...outcomes].join('; ')}`)
}
report.finish()
await product.end()
process.exit()
