import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface ListedTool {
  readonly name: string
  readonly description: string
}

export interface ChangingMcpServer {
  readonly url: string
  /** Its tools. A request for the list gets those of the moment when it arrives. */
  tools: ListedTool[]
  /** Awaited before the list is sent. */
  beforeList: () => Promise<unknown>
  /** The methods of the requests that have arrived, without those of connecting. */
  readonly seen: string[]
  /** Announces to everyone who listens that its tools have changed. */
  announce(): void
  /** How many listen. */
  readonly listeners: number
  close(): Promise<void>
}

/** Starts an MCP server with the tool `act`, whose definition a test may change at any moment. */
export async function startChangingMcpServer(): Promise<ChangingMcpServer> {
  const seen: string[] = []
  const streams = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    if (request.method === 'GET') listen(response)
    else void respond(request, response)
  })
  const state = {
    tools: [{ name: 'act', description: 'Acts.' }] as ListedTool[],
    beforeList: (): Promise<unknown> => Promise.resolve(),
  }

  function listen(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    streams.add(response)
    response.on('close', () => streams.delete(response))
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { id, method } = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string }
    if (id === undefined) return void response.writeHead(202).end()
    const answer = (part: object): void => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...part }))
    }
    switch (method) {
      case 'initialize':
        return answer({
          result: {
            protocolVersion: '2025-11-25',
            capabilities: { tools: { listChanged: true } },
            serverInfo: { name: 'changing', version: '1' },
          },
        })
      case 'tools/list': {
        seen.push(method)
        const tools = state.tools.map((tool) => ({
          ...tool,
          inputSchema: {
            type: 'object',
            properties: { repository: { type: 'string' }, count: { type: 'number' } },
            additionalProperties: false,
          },
        }))
        await state.beforeList()
        return answer({ result: { tools } })
      }
      case 'tools/call':
        seen.push(method)
        return answer({ result: { content: [{ type: 'text', text: 'done' }] } })
      default:
        return answer({ error: { code: -32_601, message: 'Unknown' } })
    }
  }

  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    get tools() {
      return state.tools
    },
    set tools(tools) {
      state.tools = tools
    },
    get beforeList() {
      return state.beforeList
    },
    set beforeList(beforeList) {
      state.beforeList = beforeList
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    announce() {
      const note = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
      for (const stream of streams) stream.write(`data: ${JSON.stringify(note)}\n\n`)
    },
    get listeners() {
      return streams.size
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
