import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { respondToMcp, type SmallMcpServer } from './respond-to-mcp.ts'

const defaultMcp: SmallMcpServer = { name: 'api-key', tool: 'search', result: 'found' }

export interface ApiKeyMcpServer {
  readonly origin: string
  /** The MCP address. */
  readonly url: string
  behaviour: {
    /** Whether the headers are valid; the response is 401 otherwise. */
    accepts: (headers: IncomingHttpHeaders) => boolean
    /** The body of the response 401. */
    refusal: string
    /** The redirect target of every request; null means no redirect. */
    redirect: string | null
    /** Awaited before each response. */
    beforeResponse: () => Promise<unknown>
  }
  /** The headers of every request. */
  readonly seen: IncomingHttpHeaders[]
  close(): Promise<void>
}

/** Starts an MCP server with one tool, for clients with an API key. */
export async function startApiKeyMcpServer(mcp = defaultMcp): Promise<ApiKeyMcpServer> {
  const behaviour: ApiKeyMcpServer['behaviour'] = {
    accepts: () => true,
    refusal: '{"error":"invalid key"}',
    redirect: null,
    beforeResponse: () => Promise.resolve(),
  }
  const seen: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers)
    void behaviour.beforeResponse().then(() => {
      const { redirect, accepts, refusal } = behaviour
      if (redirect !== null) return void response.writeHead(307, { location: redirect }).end()
      if (!accepts(request.headers)) return void response.writeHead(401).end(refusal)
      return respond(mcp, request, response)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/mcp`,
    behaviour,
    seen,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function respond(
  mcp: SmallMcpServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  if (request.method !== 'POST') return void response.writeHead(405).end()
  respondToMcp(mcp, Buffer.concat(chunks).toString(), response)
}
