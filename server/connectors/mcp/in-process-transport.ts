import { InMemoryTransport } from '@modelcontextprotocol/client'
import type { Transport } from '@modelcontextprotocol/client'
import type { McpServer } from '@modelcontextprotocol/server'
import type { ResponseBudget } from './limit-responses.ts'

/**
 * Opens the client's end of an in-memory session with a server in this process. Closing the transport also ends the
 * server. With a `budget`, the server's messages are limited like the responses of a remote server.
 */
export function openInProcessTransport(
  createServer: () => Promise<McpServer>,
  budget?: ResponseBudget,
): Transport {
  const [client, server] = InMemoryTransport.createLinkedPair()
  if (budget !== undefined) limitMessages(server, budget)
  const startClient = client.start.bind(client)
  client.start = async () => {
    // Serves both protocol eras over any transport, with one server for the whole session.
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
    serveStdio(createServer, { transport: server })
    await startClient()
  }
  return client
}

/** Drops messages that exceed the budget; `budget.onExceeded` then closes the connection. */
function limitMessages(server: Transport, budget: ResponseBudget): void {
  const send = server.send.bind(server)
  server.send = async (message, options) => {
    const isExceeded = budget.count(Buffer.from(JSON.stringify(message)), false) !== undefined
    if (!isExceeded) await send(message, options)
  }
}
