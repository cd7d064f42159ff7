import type { IncomingMessage } from 'node:http'
import { json, onCall, onMethod, text } from './hostile-behaviour.ts'
import type { Behaviour } from './hostile-behaviour.ts'

/** Unusual sessions, refusals and redirects. */
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
  /** Responds 404 after its first call. */
  gone: {
    post: ({ message, response, calls }) => {
      if (message.method !== 'tools/call' || calls === 1) return false
      response.writeHead(404).end('The session of this meeting does not exist.')
      return true
    },
  },
  whoami: {
    post: onCall(({ request, response, message }) =>
      setTimeout(
        () => json(response, message.id, text(String(request.headers.authorization))),
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
