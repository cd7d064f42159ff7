import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { tokenMark } from './bench-messages.ts'
import type { LoadPlan, LoadResult, LoadTarget } from './bench-messages.ts'

/* Opens streams as a plan says, which comes on the standard input, and says on its output what it saw. */

let input = ''
for await (const piece of process.stdin) input += String(piece)
const { targets, turn, spread } = JSON.parse(input) as LoadPlan
const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

interface Counter extends LoadResult {
  tokens: number
  readonly firstToken: number[]
  readonly failures: string[]
}

function stream({ url, headers }: LoadTarget, body: unknown, counter: Counter): Promise<void> {
  return new Promise((resolve) => {
    const began = performance.now()
    let seen = false
    const fail = (reason: string): void => {
      counter.failures.push(reason)
      resolve()
    }
    const asked = request(
      url,
      { method: 'POST', agent, headers: { ...headers, 'content-type': 'application/json' } },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (piece: string) => {
          if (!seen && piece.includes(tokenMark)) {
            seen = true
            counter.firstToken.push(performance.now() - began)
          }
          text += piece
        })
        answer.on('end', () => {
          if (answer.statusCode !== 200) fail(`${answer.statusCode} ${text.slice(0, 200)}`)
          counter.tokens += text.split(tokenMark).length - 1
          resolve()
        })
        answer.on('error', (error) => fail(error.message))
      },
    )
    asked.on('error', (error) => fail(error.message))
    asked.end(JSON.stringify(body))
  })
}

const counted = targets.map((target) => {
  const counter: Counter = { tokens: 0, firstToken: [], failures: [] }
  return { target, counter }
})
if (turn === null) {
  await Promise.all(
    counted.flatMap(({ target, counter }) =>
      target.bodies.map(async (body, index) => {
        await wait((index / target.bodies.length) * spread)
        await stream(target, body, counter)
      }),
    ),
  )
} else {
  const most = Math.max(...targets.map(({ bodies }) => bodies.length))
  for (let from = 0; from < most; from += turn) {
    for (const { target, counter } of counted) {
      for (const body of target.bodies.slice(from, from + turn)) await stream(target, body, counter)
    }
  }
}
process.stdout.write(JSON.stringify(counted.map(({ counter }) => counter)))
process.exit(0)
