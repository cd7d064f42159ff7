import type { ServerResponse } from 'node:http'

/** A minimal MCP server with one tool. */
export interface SmallMcpServer {
  readonly name: string
  readonly tool: string
  /** The text of the result of every call. */
  readonly result: string
  /** A PNG image in the result, in Base64. */
  readonly image?: string
}

/** Responds to a message to such a server. */
export function respondToMcp(server: SmallMcpServer, body: string, response: ServerResponse): void {
  const { id, method } = JSON.parse(body) as { id?: number; method: string }
  if (id === undefined) return void response.writeHead(202).end()
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...respondToMethod(server, method) }))
}

function respondToMethod({ name, tool, result, image }: SmallMcpServer, method: string): object {
  const images = image === undefined ? [] : [{ type: 'image', mimeType: 'image/png', data: image }]
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name, version: '1' },
        },
      }
    case 'tools/list':
      return { result: { tools: [{ name: tool, inputSchema: { type: 'object', properties: {} } }] } }
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: result }, ...images] } }
    default:
      return { error: { code: -32_601, message: 'Unknown' } }
  }
}
