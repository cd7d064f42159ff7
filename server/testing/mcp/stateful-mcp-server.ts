import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface RpcMessage {
  readonly id?: number | string
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: { readonly value?: string }
    readonly requestId?: number
    readonly _meta?: {
      readonly progressToken?: number
      readonly 'io.modelcontextprotocol/protocolVersion'?: string
    }
  }
  readonly result?: unknown
}

/** How the server answers a request with a session that it does not know. */
export type LostAnswer = (id: RpcMessage['id']) => { readonly status: number; readonly body: unknown }

export interface SeenFrame {
  readonly session: string
  readonly method: string
  readonly message: RpcMessage
  /** The message as it was written. */
  readonly text: string
}

export interface StatefulMcpServer {
  readonly url: string
  behaviour: {
    /** Revision 2026-07-28 has no sessions. */
    revision: '2025-11-25' | '2026-07-28'
    hasSessions: boolean
    lostAnswer: LostAnswer
    /** Responds to a call itself; false leaves the call to the server. */
    call: (call: PendingCall) => boolean
    /** Awaited before a notification is accepted. */
    beforeCancel: () => Promise<unknown>
  }
  /** The requests and notifications in order; those without a message have an empty one. */
  readonly seen: SeenFrame[]
  /** The values that sessions have set, by their ids. */
  readonly sessions: Map<string, string>
  /** Forgets all sessions, as after a restart. */
  forget(): void
  close(): Promise<void>
}

export interface PendingCall {
  readonly message: RpcMessage
  readonly session: string
  readonly response: ServerResponse
  /** Sends an event on the stream of the call, which becomes an event stream. */
  send(message: object): void
  /** Sends the result, with this text. */
  end(text: string): void
}

/**
 * Starts an MCP server, of the revision 2025-11-25 by default, whose tool `remember` stores a value in the session and
 * returns what the session had before. It counts the calls that it has run in `seen`.
 */
export async function startStatefulMcpServer(): Promise<StatefulMcpServer> {
  const seen: SeenFrame[] = []
  const sessions = new Map<string, string>()
  const behaviour: StatefulMcpServer['behaviour'] = {
    revision: '2025-11-25',
    hasSessions: true,
    lostAnswer: () => ({ status: 404, body: 'Session not found' }),
    call: () => false,
    beforeCancel: () => Promise.resolve(),
  }
  const server = createServer((request, response) => {
    void respond(request, response)
  })

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const message = (body === '' ? {} : JSON.parse(body)) as RpcMessage
    const session = String(request.headers['mcp-session-id'] ?? '')
    seen.push({ session, method: request.method ?? '', message, text: body })
    const json = (value: unknown, status = 200, headers = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof value === 'string' ? value : JSON.stringify(value))
    }
    const { id, method } = message
    const isModern = behaviour.revision === '2026-07-28'
    const complete = (value: object) => (isModern ? { resultType: 'complete', ...value } : value)
    const result = (value: object, headers = {}) =>
      json({ jsonrpc: '2.0', id, result: complete(value) }, 200, headers)
    const cacheable = isModern ? { ttlMs: 60_000, cacheScope: 'private' } : {}
    if (method === 'server/discover' && isModern)
      return result({ ...cacheable, supportedVersions: [behaviour.revision], capabilities: { tools: {} } })
    if (method === 'server/discover')
      return json({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Unknown' } })
    if (method === 'initialize') {
      const capabilities = { tools: {} }
      const started = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 's', version: '1' } }
      if (!behaviour.hasSessions) return result(started)
      const opened = randomUUID()
      sessions.set(opened, '')
      return result(started, { 'mcp-session-id': opened })
    }
    if (request.method === 'DELETE')
      return void response.writeHead(sessions.delete(session) ? 200 : 404).end()
    if (behaviour.hasSessions && !isModern && !sessions.has(session)) {
      const { status, body: answer } = behaviour.lostAnswer(id)
      return json(answer, status)
    }
    if (request.method === 'GET') return void response.writeHead(405).end()
    if (id === undefined || method === undefined) {
      if (method === 'notifications/cancelled') await behaviour.beforeCancel()
      return void response.writeHead(202).end()
    }
    if (method === 'tools/list')
      return result({ ...cacheable, tools: [{ name: 'remember', inputSchema: { type: 'object' } }] })
    if (method !== 'tools/call') return result({})
    const call: PendingCall = {
      message,
      session,
      response,
      send(event) {
        if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...event })}\n\n`)
      },
      end(text) {
        const value = { content: [{ type: 'text', text }] }
        if (!response.headersSent) return result(value)
        call.send({ id, result: complete(value) })
        response.end()
      },
    }
    if (behaviour.call(call)) return
    const before = sessions.get(session) ?? ''
    const { value } = message.params?.arguments ?? {}
    if (value !== undefined && behaviour.hasSessions) sessions.set(session, value)
    call.end(`before: ${before}`)
  }

  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    behaviour,
    seen,
    sessions,
    forget: () => sessions.clear(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
