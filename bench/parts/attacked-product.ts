import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callTool } from '../../server/connectors/calls/call-tool.ts'
import { openTestDatabase } from '../../server/testing/database/test-database.ts'
import { startHostileServer } from '../../server/testing/hostile-mcp/start-hostile-server.ts'
import { createTestIdentity } from '../../server/testing/identity/test-identity.ts'
import { findTarget } from '../../server/testing/mcp/find-target.ts'
import { openTestConnectors } from '../../server/testing/mcp/open-test-connectors.ts'
import { openTestApp } from '../../server/testing/test-app.ts'
import type { AttackedProduct } from './bench-messages.ts'

/*
 * A product in a process of its own, in which one user calls a hostile server while another one reads. It prints an
 * `AttackedProduct` as JSON.
 */

// The loader of TypeScript enables source maps, which the built product does not use. Reading the stack of the first
// error then parses the map of a large module, which blocks the event loop for 40 ms.
process.setSourceMapsEnabled(false)

/** The most calls of a user that run at once. */
const callsAtOnce = 8

const database = await openTestDatabase('sqlite', { durable: true })
const identity = createTestIdentity(database, () => Promise.resolve())
const app = await openTestApp({ database, deps: { identity } })
const { token } = await identity.signIn('Bob')
const ada = { id: 'ada' }
const connectors = await openTestConnectors({ database })
await connectors.addUser(ada.id)
const hostile = await startHostileServer()

const names = Array.from({ length: callsAtOnce }, (_, index) => `Hostile ${index}`)

/** Connects `count` connectors, one for each call. */
async function connectAll(behaviour: string, count: number): Promise<string[]> {
  await database.db.deleteFrom('connectors').where('user_id', '=', ada.id).execute()
  return Promise.all(
    names
      .slice(0, count)
      .map((name, index) =>
        connectors
          .connect(ada.id, { name, url: hostile.url(behaviour, { index: String(index) }) })
          .then(() => 'connected', String),
      ),
  )
}

/** Makes `count` calls at once. Resolves with their outcomes when all have ended. */
async function callAll(count: number): Promise<string[]> {
  const outcomes = names.slice(0, count).map(async (name) =>
    callTool(connectors, {
      user: ada,
      ...(await findTarget(connectors, ada, name, 'act')),
      arguments: {},
      approval: 'once',
      signal: AbortSignal.timeout(10_000),
    }),
  )
  return (await Promise.all(outcomes)).map(({ status, text }) =>
    status === 'failed' ? text.slice(0, 80) : status,
  )
}

/** The most processor time, in milliseconds, of one turn of the event loop since `takeLongestTurn` was last called. */
let longestTurnMs = 0
let usedBefore = process.cpuUsage()
setInterval(() => {
  const { user, system } = process.cpuUsage(usedBefore)
  longestTurnMs = Math.max(longestTurnMs, (user + system) / 1_000)
  usedBefore = process.cpuUsage()
}, 1)

/** Returns the longest turn since the last call, as the only item. */
function takeLongestTurn(): string[] {
  const taken = longestTurnMs
  longestTurnMs = 0
  return [taken.toFixed(1)]
}

function execute({ pathname, searchParams }: URL): Promise<string[]> {
  switch (pathname) {
    case '/connect':
      return connectAll(searchParams.get('behaviour') ?? '', Number(searchParams.get('count') ?? callsAtOnce))
    case '/longest-turn':
      return Promise.resolve(takeLongestTurn())
    default:
      return callAll(Number(searchParams.get('count') ?? callsAtOnce))
  }
}

const control = createServer((request, response) => {
  execute(new URL(request.url ?? '', 'http://control')).then(
    (outcomes) => response.end(JSON.stringify(outcomes)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
})
control.listen(0, '127.0.0.1')
const attacked: AttackedProduct = {
  base: await app.listen(),
  token,
  control: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
}
process.stdout.write(`${JSON.stringify(attacked)}\n`)
