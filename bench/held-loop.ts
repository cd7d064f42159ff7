import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { listApiCalls } from '../server/testing/chat/list-api-calls.ts'
import { fillToLimits, fullFill, registryUrl } from '../server/testing/load/fill-to-limits.ts'
import { listWorstRequests, type ReadyRequest } from '../server/testing/load/worst-requests.ts'
import { openTestApp } from '../server/testing/test-app.ts'
import { watchEventLoop } from '../server/testing/watch-event-loop.ts'
import { openReport } from './parts/figures.ts'
import type { Sent, ToSend } from './parts/send-requests.ts'

/*
 * Measures for each published route how long one request holds the event loop, when its user has stored everything that
 * is allowed and sends the worst body that the route accepts; then several of the largest answers at once.
 * `npm run bench held-loop [text of the names of routes] [rounds]`
 */

const [filter = '', rounds = '3'] = process.argv.slice(2)
const maxHeldMs = 50
const maxTogetherMs = 50
/** Milliseconds in which work that a request leaves behind is measured too. */
const afterMs = 300

const product = await openTestApp({
  environment: {
    CONNECTOR_REGISTRY_URL: registryUrl,
    SELF_SERVICE: 'on',
    RATE_LIMIT_SHARE_READS: '100000',
    ALLOWED_PRIVATE_HOSTS: '127.0.0.1:9',
  },
})
const ada = await product.signIn('Ada')
const base = await product.listen()
const calls = await listApiCalls(product.app)
await ada.get('/api/mcp-servers')
const filled = await fillToLimits(product.database, ada.user.id, fullFill)
const client = fork(new URL('./parts/send-requests.ts', import.meta.url), {
  execArgv: ['--import', 'tsx'],
  serialization: 'advanced',
})
await once(client, 'message')

async function send(requests: readonly ReadyRequest[]): Promise<Sent> {
  const message: ToSend = {
    base,
    headers: { ...ada.headers, prefer: 'respond-async' },
    requests: [...requests],
  }
  const received = once(client, 'message') as Promise<[Sent]>
  client.send(message)
  return (await received)[0]
}

/** Milliseconds for which the requests hold the event loop. */
async function measure(requests: readonly ReadyRequest[]): Promise<Sent & { readonly heldMs: number }> {
  await wait(50)
  const watch = watchEventLoop()
  const sent = await send(requests)
  await wait(afterMs)
  return { ...sent, heldMs: watch.stop() }
}

const report = openReport()
const large: ReadyRequest[] = []
for (const call of calls) {
  if (!call.name.includes(filter)) continue
  const requests = listWorstRequests(call, filled)
  if (requests === undefined) throw new Error(`${call.name} is not in the table of worst requests`)
  for (const request of requests) {
    const values: number[] = []
    let last: Sent | undefined
    const count = call.method === 'DELETE' ? 1 : Number(rounds)
    for (let round = 0; round < count; round++) {
      const { heldMs, ...sent } = await measure([request])
      values.push(heldMs)
      last = sent
    }
    const { status = 0, bytes = 0, ms = 0 } = last ?? {}
    if (bytes > 1_000_000) large.push(request)
    report.add({
      name: `${call.name}, ${request.what} (${status}, ${(bytes / 1e6).toFixed(2)} MB in ${Math.round(ms)} ms)`,
      unit: 'ms',
      values,
      goal: { max: maxHeldMs },
    })
  }
}
for (const request of large) {
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const { heldMs, otherMs } = await measure(Array.from({ length: 20 }, () => request))
  const more = (process.memoryUsage().rss - before) / 1e6
  report.add({
    name: `20 at once: ${request.method} ${request.url}, ${request.what} (+${Math.round(more)} MB)`,
    unit: 'ms',
    values: [heldMs],
    goal: { max: maxTogetherMs },
  })
  report.add({ name: '  another user meanwhile', unit: 'ms', values: otherMs })
}
report.finish()
client.kill()
await product.close()
