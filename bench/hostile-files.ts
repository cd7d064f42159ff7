import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { sendFileTo } from '../server/testing/files/upload-file.ts'
import { instant } from './parts/bench-messages.ts'
import { openReport } from './parts/figures.ts'
import { type HostileFile, makeHostileFiles } from './parts/make-hostile-files.ts'
import { startProduct } from './parts/start-measured-product.ts'
import { partPath, startProcess } from './parts/start-process.ts'
import type { Period, Times } from './parts/use-meanwhile.ts'

/*
 * Uploads ten of the largest files at once, which the server must not hold in memory. Then measures what a user notices
 * while another one uploads thirty hostile files: the times with and without uploads, in turns, so that other load on the
 * machine affects both. `npm run bench hostile-files [milliseconds of each turn without uploads] [hostile files]`
 */

const maxRatio = 2
const maxMoreMb = 100
/** Files that are uploaded at once, and the milliseconds without uploads before each such turn. */
const filesPerTurn = 5
const [quietMs = 10_000, count = 30] = process.argv.slice(2).map(Number)
const largest = 25 * 1_048_576
const sampleMs = 20

const botName = instant(20)
const upstream = await startProcess(partPath('scripted-upstream'))
const product = await startProduct(upstream.line, [botName])
const other = fork(new URL('./parts/use-meanwhile.ts', import.meta.url), { execArgv: ['--import', 'tsx'] })
await once(other, 'message')
const period: Period = { base: product.base, headers: await product.joinOther(), botName }

async function useDuring(work: () => Promise<unknown>): Promise<Times> {
  other.send(period)
  await work()
  const received = once(other, 'message') as Promise<[Times]>
  other.send('end')
  return (await received)[0]
}

const outcomes = new Map<number, number>()
async function upload({ name, bytes }: HostileFile): Promise<void> {
  const startedAt = performance.now()
  const { statusCode, body } = await sendFileTo(product.base, product, name, bytes)
  if (![201, 413, 415].includes(statusCode)) throw new Error(`${name}: ${body}`)
  outcomes.set(statusCode, (outcomes.get(statusCode) ?? 0) + 1)
  const { problem = '' } = JSON.parse(body) as { problem?: string }
  console.log(`  ${name}: ${statusCode} after ${Math.round(performance.now() - startedAt)} ms ${problem}`)
}

await product.waitUntilIdle()
const atStart = product.memoryBytes()
// V8 collects the buffers of requests late, so that the first upload adds more than the next ones.
await upload({ name: 'first.txt', bytes: Buffer.alloc(largest, 'the first one\n') })
const before = product.memoryBytes()
let peak = before
const sampling = setInterval(() => (peak = Math.max(peak, product.memoryBytes())), sampleMs)
await Promise.all(
  Array.from({ length: 10 }, (_, index) =>
    upload({ name: `largest-${index}.txt`, bytes: Buffer.alloc(largest, `line of the file ${index}\n`) }),
  ),
)
clearInterval(sampling)

const quiet: Times = { list: [], firstText: [] }
const during: Times = { list: [], firstText: [] }
const add = (to: Times, from: Times): void => {
  to.list.push(...from.list)
  to.firstText.push(...from.firstText)
}
const files = makeHostileFiles().slice(0, count)
await useDuring(() => wait(quietMs / 2))
for (let from = 0; from < files.length; from += filesPerTurn) {
  add(quiet, await useDuring(() => wait(quietMs)))
  add(during, await useDuring(() => Promise.all(files.slice(from, from + filesPerTurn).map(upload))))
}

const toMb = (bytes: number): number => Math.round(bytes / 1e6)
const report = openReport()
console.log(
  `Uploads by status: ${Array.from(outcomes, ([status, count]) => `${count} x ${status}`).join(', ')}`,
)
for (const [name, key] of [
  ['the list of chats', 'list'],
  ['the first text of a reply', 'firstText'],
] as const)
  report.add({
    name: `${name} of another user during hostile uploads (${during[key].length} times)`,
    unit: 'ms',
    values: during[key],
    counterpart: { name: `without (${quiet[key].length} times)`, values: quiet[key] },
    goal: { at: 0.99, maxRatio },
  })
report.add({
  name: `memory that ten uploads of 25 MB at once add to ${toMb(before)} MB after one (${toMb(atStart)} MB before it)`,
  unit: 'MB',
  values: [toMb(peak - before)],
  goal: { max: maxMoreMb },
})
report.finish()
other.kill()
await product.end()
await upstream.end()
