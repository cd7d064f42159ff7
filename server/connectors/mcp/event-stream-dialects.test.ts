import { expect, it } from 'vitest'
import { EventLoopTurns } from '../../lib/event-loop-turns.ts'
import { connectorLimits } from '../connector-limits.ts'
import { LargeMessageReader } from '../responses/large-message-reader.ts'
import { ResponseScheduler } from '../responses/response-scheduler.ts'
import { listServerTools } from '../tools/refresh-tools.ts'
import { connectServer } from './connect-server.ts'

const largeMessageReader = new LargeMessageReader()

const tool = { name: 'größe', inputSchema: { type: 'object' } }

/** A server that writes each response with `write`, in chunks of `chunkBytes`. */
function serverOf(contentType: string, write: (message: object) => string, chunkBytes: number): typeof fetch {
  return (_address, init) => {
    const request = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as {
      id?: number
      method?: string
      params?: { protocolVersion?: string }
    }
    if (request.id === undefined)
      return Promise.resolve(new Response(null, { status: init?.method === 'POST' ? 202 : 405 }))
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'dialects', version: '1' },
      },
      'tools/list': { tools: [tool] },
    }
    const result = results[request.method ?? '']
    const message = {
      jsonrpc: '2.0',
      id: request.id,
      ...(result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }),
    }
    const bytes = new TextEncoder().encode(write(message))
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += chunkBytes)
          controller.enqueue(bytes.slice(at, at + chunkBytes))
        controller.close()
      },
    })
    return Promise.resolve(new Response(body, { headers: { 'content-type': contentType } }))
  }
}

const events = 'text/event-stream'
const event = (message: object): string => `event: message\nid: 1\ndata: ${JSON.stringify(message)}\n\n`

it.each<[dialect: string, contentType: string, write: (message: object) => string]>([
  ['line feeds', events, event],
  ['carriage returns and line feeds', events, (message) => event(message).replaceAll('\n', '\r\n')],
  ['carriage returns', events, (message) => event(message).replaceAll('\n', '\r')],
  [
    'a byte order mark',
    events,
    (message) => `\uFEFF${event(message).replace('event: message\nid: 1\n', '')}`,
  ],
  ['comments and pings', events, (message) => `: hello\n\nevent: ping\ndata: {oops\n\n${event(message)}`],
  ['no space after the colon', events, (message) => event(message).replaceAll(': ', ':')],
  ['no blank line at the end', events, (message) => event(message).trimEnd()],
  [
    'several data lines',
    events,
    (message) => `data: ${JSON.stringify(message, null, 1).replaceAll('\n', '\ndata: ')}\n\n`,
  ],
  ['JSON with a byte order mark', 'application/json', (message) => `\uFEFF${JSON.stringify(message)}`],
])('reads responses with %s, however they are split', async (_, contentType, write) => {
  for (const chunkBytes of [1, 2, 7, 10_000]) {
    const connection = await connectServer(
      {
        kind: 'http',
        url: new URL('https://mcp.example/'),
        fetch: serverOf(contentType, write, chunkBytes),
        auth: { token: () => Promise.resolve(undefined) },
        prior: null,
      },
      {
        source: {
          userId: 'ada',
          url: 'https://mcp.example/',
          limits: connectorLimits,
          largeMessageReader,
          responseScheduler: new ResponseScheduler(),
        },
        turns: new EventLoopTurns(),
        signal: new AbortController().signal,
        onToolsChanged: () => undefined,
      },
    )
    const { signal } = new AbortController()
    const listed = await listServerTools(connection, 'https://mcp.example/', connectorLimits, signal)
    expect(listed.tools).toMatchObject([{ name: tool.name }])
    await connection.close()
  }
})
