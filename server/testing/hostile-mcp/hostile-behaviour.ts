import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: Record<string, unknown>
    readonly cursor?: string
    readonly _meta?: { readonly progressToken?: number }
  }
}

export interface Exchange {
  readonly message: Message
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** How often the test has requested the next phase of this behaviour. */
  readonly phase: number
  /** Calls of this behaviour so far, including this one. */
  readonly calls: number
  /** Requests for the list of its tools so far, including this one. */
  readonly lists: number
}

export interface Behaviour {
  readonly tools?: (phase: number) => readonly unknown[]
  /** Handles a POST; false leaves it to the default server. */
  readonly post?: (exchange: Exchange) => boolean
  /** Handles a GET; false responds with 405. */
  readonly get?: (exchange: Pick<Exchange, 'request' | 'response'>) => boolean
}

const object = { type: 'object', properties: {} }

/** A tool in a list. */
export const tool = (name: string, rest: Record<string, unknown> = {}) => ({
  name,
  description: name,
  inputSchema: object,
  ...rest,
})

/** Begins an event stream. */
export function sse(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

/** An event with a JSON-RPC message. */
export const event = (message: unknown): string =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', ...(message as object) })}\n\n`

/** The result of a call, with this text. */
export const text = (value: string) => ({ content: [{ type: 'text', text: value }] })

/** Responds with a result as JSON. */
export function json(response: ServerResponse, id: Message['id'], result: unknown, headers = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

/** Handles messages with this method, and leaves others to the default server. */
export const onMethod =
  (method: string, handle: (exchange: Exchange) => void): NonNullable<Behaviour['post']> =>
  (exchange) => {
    if (exchange.message.method !== method) return false
    handle(exchange)
    return true
  }

/** Handles calls of tools, and leaves other messages to the default server. */
export const onCall = (handle: (exchange: Exchange) => void): NonNullable<Behaviour['post']> =>
  onMethod('tools/call', handle)
