import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An OpenAI-compatible provider on this machine. */
export interface ModelServer {
  /** Ends in `/v1`. */
  readonly url: string
  /** The bodies of the requests for a reply. */
  readonly replyRequests: Readonly<Record<string, unknown>>[]
  close(): void
}

export const modelServerKey = 'sk-model-server-0123456789'

/** Starts a provider that lists two models and replies "OK". It refuses every key but `modelServerKey`. */
export async function startModelServer(): Promise<ModelServer> {
  const replyRequests: Readonly<Record<string, unknown>>[] = []
  const server = createServer((request, response) => {
    respond(request, response, replyRequests).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    replyRequests,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  replyRequests: Readonly<Record<string, unknown>>[],
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  if (request.headers.authorization !== `Bearer ${modelServerKey}`) {
    response.writeHead(401).end('{"error":{"message":"No such key"}}')
  } else if (request.url === '/v1/models') {
    response.end('{"data":[{"id":"tall-model"},{"id":"small-model"}]}')
  } else if (request.url === '/v1/chat/completions') {
    replyRequests.push(JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end('data: {"choices":[{"delta":{"content":"OK"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
  } else response.writeHead(404).end('Not Found')
}
