import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { hostileFaults } from './hostile-faults.ts'
import { findWireShape } from './wire-shapes.ts'

export interface HostileModel {
  /** For a bot of any `api_type`. The name of its model selects the fault, see `hostile-faults.ts`. */
  readonly baseUrl: string
  /** The requested faults, oldest first; each attempt counts. */
  readonly asked: readonly string[]
  /** Connections to the target of the redirects; 0 when none is followed. */
  readonly strayed: number
  /** Requests whose connection is open and whose response is not complete. */
  readonly openRequests: number
  close(): Promise<void>
}

/** Starts an upstream that misbehaves on purpose, over real HTTP, in each of the three wire formats. */
export async function startHostileModel(): Promise<HostileModel> {
  const asked: string[] = []
  let strayed = 0
  let openRequests = 0
  const elsewhere = createServer((_request, response) => response.end('elsewhere'))
  elsewhere.on('connection', () => (strayed += 1))
  const server = createServer((request, response) => {
    openRequests += 1
    response.on('close', () => (openRequests -= 1))
    play(request, response, asked, `${originOf(elsewhere)}/v1/chat/completions`).catch(() =>
      response.destroy(),
    )
  })
  server.on('connection', (socket) => {
    socket.on('error', () => undefined)
  })
  await Promise.all(
    [server, elsewhere].map((each) => new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve))),
  )

  return {
    baseUrl: `${originOf(server)}/v1`,
    asked,
    get strayed() {
      return strayed
    },
    get openRequests() {
      return openRequests
    },
    close: async () => {
      await Promise.all([server, elsewhere].map(closeServer))
    },
  }
}

async function play(
  request: IncomingMessage,
  response: ServerResponse,
  asked: string[],
  elsewhere: string,
): Promise<void> {
  const body = await readBody(request)
  const shape = findWireShape(request.url ?? '')
  const name = modelOf(request.url ?? '', body)
  const fault = hostileFaults[name]
  if (shape === undefined || fault === undefined) {
    response.writeHead(404).end(`no such fault: ${name}`)
    return
  }
  asked.push(name)
  const count = asked.filter((each) => each === name).length
  await fault({ response, shape, key: keyOf(request), body, count, elsewhere })
}

function modelOf(url: string, body: string): string {
  const named = /\/models\/([^/:]+):/.exec(url)?.[1]
  if (named !== undefined) return named
  const parsed: unknown = JSON.parse(body)
  return typeof parsed === 'object' && parsed !== null && 'model' in parsed ? String(parsed.model) : ''
}

function keyOf({ headers }: IncomingMessage): string {
  const key =
    headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization?.replace('Bearer ', '')
  return typeof key === 'string' ? key : ''
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function originOf(server: Server): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
