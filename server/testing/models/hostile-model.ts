import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { hostileFaults } from './hostile-faults.ts'
import { findWireShape } from './wire-shapes.ts'

export interface HostileModel {
  /** For a bot of any `api_type`. The name of its model selects the fault, see `hostile-faults.ts`. */
  readonly baseUrl: string
  /** The requested faults, oldest first; each attempt counts. */
  readonly requestedFaults: readonly string[]
  /** Connections to the other origin, to which the fault `redirect` leads. */
  readonly followedRedirects: number
  /** Requests whose connection is open and whose response is not complete. */
  readonly openRequests: number
  close(): Promise<void>
}

/** Starts an upstream that misbehaves on purpose, over real HTTP, in each of the wire formats. */
export async function startHostileModel(): Promise<HostileModel> {
  const requestedFaults: string[] = []
  let followedRedirects = 0
  let openRequests = 0
  const redirectTarget = createServer((_request, response) => response.end('ok'))
  redirectTarget.on('connection', () => (followedRedirects += 1))
  const server = createServer((request, response) => {
    openRequests += 1
    response.on('close', () => (openRequests -= 1))
    respond(request, response, requestedFaults, `${originOf(redirectTarget)}/v1/chat/completions`).catch(() =>
      response.destroy(),
    )
  })
  server.on('connection', (socket) => {
    socket.on('error', () => undefined)
  })
  await Promise.all(
    [server, redirectTarget].map(
      (each) => new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve)),
    ),
  )

  return {
    baseUrl: `${originOf(server)}/v1`,
    requestedFaults,
    get followedRedirects() {
      return followedRedirects
    },
    get openRequests() {
      return openRequests
    },
    close: async () => {
      await Promise.all([server, redirectTarget].map(closeServer))
    },
  }
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  requestedFaults: string[],
  redirectTarget: string,
): Promise<void> {
  const body = await readBody(request)
  const shape = findWireShape(request.url ?? '')
  const name = modelOf(request.url ?? '', body)
  const fault = hostileFaults[name]
  if (shape === undefined || fault === undefined) {
    response.writeHead(404).end(`no such fault: ${name}`)
    return
  }
  requestedFaults.push(name)
  const count = requestedFaults.filter((each) => each === name).length
  await fault({ response, shape, key: keyOf(request), body, count, redirectTarget })
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
