import { createServer } from 'node:http'
import { badElicitations, handleAnswer } from './bad-elicitations.ts'
import { badResponses } from './bad-responses.ts'
import { badResults } from './bad-results.ts'
import { badTools } from './bad-tools.ts'
import { endlessResponses } from './endless-responses.ts'
import { floods } from './floods.ts'
import { json, text, tool, type Behaviour, type Exchange, type Message } from './hostile-behaviour.ts'

/*
 * An MCP server with one behaviour per path, most of them hostile. It runs in a process of its own, so that its
 * load does not slow the product under test. `/_seen/{behaviour}` returns the received requests, and
 * `/_next/{behaviour}` switches the behaviour to its next phase, in which it may do something else.
 */

interface Seen {
  method: string
  rpc: string
  authorization: string
  session: string
  body: string
}

const groups = [endlessResponses, badResults, badTools, badElicitations, badResponses, floods]
const behaviours = collectBehaviours([{ polite: {} }, ...groups])

/** @throws when two groups have a behaviour of the same name, since tests would use only one of them */
function collectBehaviours(
  groupsOfBehaviours: readonly Readonly<Record<string, Behaviour>>[],
): Readonly<Record<string, Behaviour>> {
  const all = new Map<string, Behaviour>()
  for (const [name, behaviour] of groupsOfBehaviours.flatMap(Object.entries<Behaviour>)) {
    if (all.has(name)) throw new Error(`There are two behaviours named "${name}".`)
    all.set(name, behaviour)
  }
  return Object.fromEntries(all)
}

const seen: Record<string, Seen[]> = {}
const phases: Record<string, number> = {}

function respondByDefault(behaviour: Behaviour, { message, response, phase }: Exchange): void {
  switch (message.method) {
    case 'initialize':
      return json(response, message.id, {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'hostile', version: '1' },
      })
    case 'tools/list':
      return json(response, message.id, { tools: behaviour.tools?.(phase) ?? [tool('act')] })
    case 'tools/call':
      return json(response, message.id, text('done'))
    default:
      if (message.method === undefined || message.id === undefined) {
        if (message.method === undefined) handleAnswer(message)
        response.writeHead(202).end()
        return
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32_601, message: 'Unknown' } }),
      )
  }
}

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://hostile')
  const name = pathname.split('/')[1] ?? ''
  if (name === '_seen') return void response.end(JSON.stringify(seen[pathname.split('/')[2] ?? ''] ?? []))
  if (name === '_next') {
    const behaviourName = pathname.split('/')[2] ?? ''
    phases[behaviourName] = (phases[behaviourName] ?? 0) + 1
    return void response.end()
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('error', () => undefined)
  response.on('error', () => undefined)
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString()
    const message = (body === '' ? {} : JSON.parse(body)) as Message
    ;(seen[name] ??= []).push({
      method: request.method ?? '',
      rpc: message.method ?? '',
      authorization: request.headers.authorization ?? '',
      session: String(request.headers['mcp-session-id'] ?? ''),
      body: body.slice(0, 2_000),
    })
    const behaviour = behaviours[name]
    if (behaviour === undefined || request.method === 'DELETE') return void response.writeHead(404).end()
    if (request.method === 'GET') {
      if (behaviour.get?.({ request, response }) !== true) response.writeHead(405).end()
      return
    }
    const [calls = 0, lists = 0] = ['tools/call', 'tools/list'].map(
      (method) => seen[name]?.filter(({ rpc }) => rpc === method).length,
    )
    const exchange: Exchange = { message, request, response, phase: phases[name] ?? 0, calls, lists }
    if (behaviour.post?.(exchange) !== true) respondByDefault(behaviour, exchange)
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') process.stdout.write(`${String(address?.port)}\n`)
})

// Exits with the process that started it.
process.stdin.on('end', () => process.exit()).resume()
