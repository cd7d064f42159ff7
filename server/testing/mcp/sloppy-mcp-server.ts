import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SloppyRequestMessage {
  readonly id: unknown
  readonly params: Readonly<Record<string, unknown>>
}

/** Responses to methods: the whole message instead of the usual one. */
export type SloppyMethods = Readonly<Record<string, (message: SloppyRequestMessage) => unknown>>

export interface SloppyMcpServer {
  readonly url: string
  /** How often each method was called. */
  readonly calls: ReadonlyMap<string, number>
  close(): Promise<void>
}

/** Starts an MCP server of revision 2025-11-25 with the tool `act`, which does what the standard says except for these methods. */
export async function startSloppyMcpServer(methods: SloppyMethods): Promise<SloppyMcpServer> {
  const calls = new Map<string, number>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const message = JSON.parse(Buffer.concat(chunks).toString()) as SloppyRequestMessage & {
        method: string
      }
      calls.set(message.method, (calls.get(message.method) ?? 0) + 1)
      if (message.id === undefined) return void response.writeHead(202).end()
      const { id } = message
      const answer = methods[message.method]?.(message) ?? { jsonrpc: '2.0', id, ...respond(message.method) }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const usualInitialize = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'sloppy', version: '1' },
}
export const usualTool = { name: 'act', inputSchema: { type: 'object', properties: {} } }

function respond(method: string): object {
  switch (method) {
    case 'initialize':
      return { result: usualInitialize }
    case 'tools/list':
      return { result: { tools: [usualTool] } }
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: 'done' }] } }
    default:
      return { error: { code: -32_601, message: 'Unknown' } }
  }
}
