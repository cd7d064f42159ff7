import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { tokenMark, type LoadPlan, type LoadResult, type LoadTarget } from './bench-messages.ts'

/* Reads a load plan from standard input, opens its streams, and writes the results to standard output. */

let input = ''
for await (const chunk of process.stdin) input += String(chunk)
const { targets, turn, spreadMs, settleMs } = JSON.parse(input) as LoadPlan
const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
/** The time from which gaps are measured. */
const measuredFrom = settleMs === null ? Infinity : performance.now() + spreadMs + settleMs
let hasEnded = false

interface Counter extends LoadResult {
  tokens: number
  readonly firstToken: number[]
  readonly gaps: number[]
  readonly failures: string[]
}

function stream({ url, headers }: LoadTarget, body: unknown, counter: Counter): Promise<void> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    let hasToken = false
    const fail = (reason: string): void => {
      counter.failures.push(reason)
      resolve()
    }
    const outgoing = request(
      url,
      { method: 'POST', agent, headers: { ...headers, 'content-type': 'application/json' } },
      (response) => {
        let text = ''
        let lastArrival = 0
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          if (!hasToken && chunk.includes(tokenMark)) {
            hasToken = true
            counter.firstToken.push(performance.now() - startedAt)
          }
          text += chunk
          const now = performance.now()
          if (now < measuredFrom || hasEnded) return
          if (lastArrival >= measuredFrom) counter.gaps.push(now - lastArrival)
          lastArrival = now
        })
        response.on('end', () => {
          hasEnded = true
          if (response.statusCode !== 200) fail(`${response.statusCode} ${text.slice(0, 200)}`)
          counter.tokens += text.split(tokenMark).length - 1
          resolve()
        })
        response.on('error', (error) => fail(error.message))
      },
    )
    outgoing.on('error', (error) => fail(error.message))
    outgoing.end(JSON.stringify(body))
  })
}

const counters = targets.map((target) => {
  const counter: Counter = { tokens: 0, firstToken: [], gaps: [], failures: [] }
  return { target, counter }
})
if (turn === null) {
  await Promise.all(
    counters.flatMap(({ target, counter }) =>
      target.bodies.map(async (body, index) => {
        await wait((index / target.bodies.length) * spreadMs)
        await stream(target, body, counter)
      }),
    ),
  )
} else {
  const maxStreams = Math.max(...targets.map(({ bodies }) => bodies.length))
  for (let from = 0; from < maxStreams; from += turn) {
    for (const { target, counter } of counters) {
      for (const body of target.bodies.slice(from, from + turn)) await stream(target, body, counter)
    }
  }
}
// A process that exits at once would lose what the pipe does not take.
process.stdout.write(JSON.stringify(counters.map(({ counter }) => counter)), () => process.exit(0))
