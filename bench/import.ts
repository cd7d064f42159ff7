import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Transfer, Transfers } from '@yonder/contract/transfer'
import { createRequestClient, overHttp } from '../server/testing/send-request.ts'
import { instant } from './parts/bench-messages.ts'
import { openReport } from './parts/figures.ts'
import { startProduct } from './parts/start-measured-product.ts'
import { partPath, startProcess } from './parts/start-process.ts'
import type { Period, Times } from './parts/use-meanwhile.ts'

/*
 * Imports a large export: how much memory the server takes more, and what another user notices meanwhile. The preview and
 * the import are measured one after the other. `npm run bench import [megabytes]`
 */

const maxMoreMb = 400
const maxRatio = 2
const quietMs = 20_000
const megabytes = Number(process.argv[2] ?? 200)
const messagesPerChat = 10
const words = 'the harbour is quiet at night and a lighthouse turns over the water '

const botName = instant(20)
const upstream = await startProcess(partPath('scripted-upstream'))
const product = await startProduct(upstream.line, [botName])
const user = createRequestClient(overHttp(product.base), product.headers)
const other = fork(new URL('./parts/use-meanwhile.ts', import.meta.url), { execArgv: ['--import', 'tsx'] })
await once(other, 'message')
const period: Period = { base: product.base, headers: await product.joinOther(), botName }

/** Another user's times, and the most memory, while something is done. */
async function watch(work: () => Promise<unknown>): Promise<{ times: Times; peak: number }> {
  let peak = product.memoryBytes()
  const sampling = setInterval(() => (peak = Math.max(peak, product.memoryBytes())), 50)
  other.send(period)
  await work()
  const received = once(other, 'message') as Promise<[Times]>
  other.send('end')
  const [times] = await received
  clearInterval(sampling)
  return { times, peak }
}

/** A conversation as ChatGPT exports it. */
function makeChat(number: number): string {
  const ids = Array.from({ length: messagesPerChat }, (_, index) => `${number}-${index}`)
  const mapping = ids.map((id, index) => [
    id,
    {
      id,
      parent: ids[index - 1] ?? null,
      children: ids.slice(index + 1, index + 2),
      message: {
        id,
        author: { role: index % 2 === 0 ? 'user' : 'assistant' },
        create_time: 1_700_000_000 + number * 100 + index,
        content: { content_type: 'text', parts: [`${id} ${words.repeat(90)}`] },
        metadata: {},
        recipient: 'all',
      },
    },
  ])
  return JSON.stringify({
    id: `chat-${number}`,
    title: `Chat ${number}`,
    create_time: 1_700_000_000 + number * 100,
    update_time: 1_700_000_050 + number * 100,
    current_node: ids.at(-1),
    mapping: Object.fromEntries(mapping),
  })
}

function* makeExport(count: number): Generator<string> {
  for (let number = 0; number < count; number++) yield `${number === 0 ? '[' : ','}${makeChat(number)}`
  yield ']'
}

async function upload(count: number): Promise<string> {
  let size = 0
  for (const part of makeExport(count)) size += part.length
  const begun = await user.post('/api/imports', { files: [{ name: 'conversations.json', size }] })
  const { id } = begun.json<Transfer>()
  const sent = request(`${product.base}/api/imports/${id}/files/0`, {
    method: 'PUT',
    headers: { ...product.headers, 'content-type': 'application/octet-stream', 'content-length': size },
  })
  const answered = once(sent, 'response')
  await pipeline(Readable.from(makeExport(count)), sent)
  const [response] = (await answered) as [{ statusCode: number; resume: () => void }]
  response.resume()
  if (response.statusCode !== 200) throw new Error(`The upload had status ${response.statusCode}.`)
  return id
}

async function waitFor(state: Transfer['state']): Promise<Transfer> {
  for (;;) {
    const last = (await user.get('/api/transfers')).json<Transfers>().import
    if (last?.state === state) return last
    if (last?.state === 'failed') throw new Error(last.error)
    await wait(500)
  }
}

const count = Math.ceil((megabytes * 1e6) / makeChat(1_000).length)
await product.waitUntilIdle()
const quiet = await watch(() => wait(quietMs))
const before = product.memoryBytes()
const id = await upload(count)
const reading = await watch(() => waitFor('ready'))
const startedAt = performance.now()
const storing = await watch(async () => {
  await user.post(`/api/imports/${id}/start`, { bot: botName })
  await waitFor('done')
})
console.log(
  `${count} chats, ${megabytes} MB, stored in ${Math.round((performance.now() - startedAt) / 1000)} s`,
)

const report = openReport()
for (const [what, { times, peak }] of [
  ['an export is read', reading],
  ['it is stored', storing],
] as const) {
  for (const [name, key] of [
    ['the list of chats', 'list'],
    ['the first text of a reply', 'firstText'],
  ] as const)
    report.add({
      name: `${name} of another user while ${what} (${times[key].length} times)`,
      unit: 'ms',
      values: times[key],
      counterpart: { name: 'quiet', values: quiet.times[key] },
      goal: { at: 0.99, maxRatio },
    })
  report.add({
    name: `memory that is added to ${Math.round(before / 1e6)} MB while ${what}`,
    unit: 'MB',
    values: [Math.round((peak - before) / 1e6)],
    goal: { max: maxMoreMb },
  })
}
report.finish()
other.kill()
await product.end()
await upstream.end()
