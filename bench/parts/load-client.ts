import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { tokenMark } from './bench-messages.ts'
import type { LoadPlan, LoadResult } from './bench-messages.ts'

/* Opens streams as a plan says, which comes on the standard input, and says on its output what it saw. */

let input = ''
for await (const piece of process.stdin) input += String(piece)
const plan = JSON.parse(input) as LoadPlan
const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
const failures: string[] = []
const firstToken: number[] = []
let tokens = 0

function stream(body: unknown): Promise<void> {
  return new Promise((resolve) => {
    const began = performance.now()
    let seen = false
    const fail = (reason: string): void => {
      failures.push(reason)
      resolve()
    }
    const asked = request(
      plan.url,
      { method: 'POST', agent, headers: { ...plan.headers, 'content-type': 'application/json' } },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (piece: string) => {
          if (!seen && piece.includes(tokenMark)) {
            seen = true
            firstToken.push(performance.now() - began)
          }
          text += piece
        })
        answer.on('end', () => {
          if (answer.statusCode !== 200) fail(`${answer.statusCode} ${text.slice(0, 200)}`)
          tokens += text.split(tokenMark).length - 1
          resolve()
        })
        answer.on('error', (error) => fail(error.message))
      },
    )
    asked.on('error', (error) => fail(error.message))
    asked.end(JSON.stringify(body))
  })
}

if (plan.sequential) {
  for (const body of plan.bodies) await stream(body)
} else {
  await Promise.all(
    plan.bodies.map(async (body, index) => {
      await wait((index / plan.bodies.length) * plan.spread)
      await stream(body)
    }),
  )
}
const result: LoadResult = { tokens, firstToken, failures }
process.stdout.write(JSON.stringify(result))
process.exit(0)
