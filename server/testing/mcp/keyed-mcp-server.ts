import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerMcp } from './answer-mcp.ts'
import type { SmallMcpServer } from './answer-mcp.ts'

const mcp: SmallMcpServer = { name: 'keyed', tool: 'search', result: 'found' }

export interface KeyedMcpServer {
  readonly origin: string
  /** The MCP address. */
  readonly url: string
  manners: {
    /** What the header has to hold; anything else is 401. */
    accepts: (headers: IncomingHttpHeaders) => boolean
    /** Where every request is sent on to. */
    redirect: string | null
    /** What happens before a request is answered. */
    beforeAnswer: () => Promise<unknown>
  }
  /** The headers of every request. */
  readonly seen: IncomingHttpHeaders[]
  close(): Promise<void>
}

/** A hosted MCP server with one tool, for clients with a key. */
export async function startKeyedMcpServer(): Promise<KeyedMcpServer> {
  const manners: KeyedMcpServer['manners'] = {
    accepts: () => true,
    redirect: null,
    beforeAnswer: () => Promise.resolve(),
  }
  const seen: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers)
    void manners.beforeAnswer().then(() => {
      const { redirect, accepts } = manners
      if (redirect !== null) return void response.writeHead(307, { location: redirect }).end()
      if (!accepts(request.headers)) return void response.writeHead(401).end('{"error":"invalid key"}')
      return answer(request, response)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/mcp`,
    manners,
    seen,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  if (request.method !== 'POST') return void response.writeHead(405).end()
  answerMcp(mcp, Buffer.concat(chunks).toString(), response)
}
