import type { IncomingMessage, ServerResponse } from 'node:http'
import { event, json, onCall, onMethod, sse, text, tool, type Behaviour } from './hostile-behaviour.ts'

const statuses = [400, 404, 429, 501, 502, 503, 504]
const callStatuses = Object.fromEntries(
  statuses.map((status): [string, Behaviour] => [
    `status-${status}`,
    { post: onCall(({ response }) => response.writeHead(status).end('no')) },
  ]),
)

const onDiscover = (respond: (response: ServerResponse) => void): Behaviour => ({
  post: onMethod('server/discover', ({ response }) => respond(response)),
})

/** The stream of the server that speaks HTTP+SSE only. */
let sseStream: ServerResponse | undefined
let hasHung = false

/** Unusual sessions, refusals, redirects and broken connections. */
export const badResponses: Readonly<Record<string, Behaviour>> = {
  session: {
    post: onMethod('initialize', ({ response, message }) => {
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      }
      json(response, message.id, result, { 'mcp-session-id': 's'.repeat(7_000) })
    }),
  },
  /** Responds with 404 to each call after the first. */
  gone: {
    post: ({ message, response, calls }) => {
      if (message.method !== 'tools/call' || calls === 1) return false
      response.writeHead(404).end('This session does not exist.')
      return true
    },
  },
  /** Returns the token reversed, because the product removes it from responses, after up to 20 ms. */
  whoami: {
    post: onCall(({ request, response, message }) =>
      setTimeout(
        () => json(response, message.id, text(reverse(String(request.headers.authorization)))),
        Math.random() * 20,
      ),
    ),
  },
  unauthorized: {
    post: ({ request, response }) => {
      if (request.headers.authorization !== undefined) return false
      response
        .writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${queryOf(request, 'metadata')}"` })
        .end()
      return true
    },
  },
  forbidden: {
    post: ({ response }) => {
      response.writeHead(403).end()
      return true
    },
  },
  ...callStatuses,
  'discover-fails': onDiscover((response) => response.writeHead(500).end('Internal Server Error')),
  'discover-resets': onDiscover((response) => response.destroy()),
  'discover-html': onDiscover((response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>'),
  ),
  'discover-hangs': onDiscover(() => undefined),
  reset: { post: onCall(({ response }) => response.destroy()) },
  'cut-json': {
    post: onCall(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      response.write('{"jsonrpc":"2.0",', () => response.destroy())
    }),
  },
  /** Hangs from its first call on. */
  hangs: {
    post: ({ message }) => {
      hasHung ||= message.method === 'tools/call'
      return hasHung
    },
  },
  /** Speaks HTTP+SSE only, and ends its stream during a call. */
  'sse-cut': {
    get: ({ response }) => {
      sse(response)
      sseStream = response
      response.write('event: endpoint\ndata: /sse-cut/mcp?messages=1\n\n')
      return true
    },
    post: ({ message, request, response }) => {
      if (queryOf(request, 'messages') === null) {
        response.writeHead(405).end()
        return true
      }
      response.writeHead(202).end()
      const results: Readonly<Record<string, unknown>> = {
        initialize: {
          protocolVersion: '2024-11-05',
          capabilities: { tools: {} },
          serverInfo: { name: 'old', version: '1' },
        },
        'tools/list': { tools: [tool('act')] },
      }
      const result = results[message.method ?? '']
      if (message.method === 'tools/call') sseStream?.end()
      else if (message.method === 'server/discover')
        sseStream?.write(event({ id: message.id, error: { code: -32_601, message: 'Unknown' } }))
      else if (result !== undefined) sseStream?.write(event({ id: message.id, result }))
      return true
    },
  },
  redirect: {
    post: ({ request, response }) => {
      const status = Number(queryOf(request, 'status') ?? 307)
      response.writeHead(status, { location: queryOf(request, 'to') ?? '/redirect/mcp' }).end()
      return true
    },
  },
}

function queryOf(request: IncomingMessage, name: string): string | null {
  return new URL(request.url ?? '', 'http://hostile').searchParams.get(name)
}

function reverse(value: string): string {
  return value.split('').toReversed().join('')
}
