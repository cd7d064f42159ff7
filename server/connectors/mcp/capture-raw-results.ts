import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

type JsonObject = Readonly<Record<string, unknown>>
type Handler = NonNullable<Transport['onmessage']>

/** What a server sent for the last request of a kind, unread. */
export interface RawResults {
  /** The `tools` of the last page of a list. */
  takeTools(): readonly unknown[]
  /** The last result of a call, whole. */
  takeCall(): JsonObject | undefined
}

/**
 * Keeps results of lists and calls from the library, which would check every part of them and refuse the whole for one
 * bad part. It gets an empty result instead, and we read the real one piece by piece. Set it before connecting; one
 * request at a time is expected.
 */
export function setResultsAside(transport: Transport): RawResults {
  const aside = new ResultsAside()
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    aside.note(message)
    return send(message, options)
  }
  let handler: Handler | undefined
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: (): Handler | undefined => {
      const current = handler
      return current === undefined ? undefined : (message, extra) => current(aside.replace(message), extra)
    },
    set: (next: Handler | undefined) => {
      handler = next
    },
  })
  return aside
}

class ResultsAside implements RawResults {
  readonly #methods = new Map<unknown, string>()
  /** Messages that were replaced already: the library hands them through a chain of handlers. */
  readonly #replaced = new WeakSet<object>()
  #tools: readonly unknown[] = []
  #call: JsonObject | undefined

  takeTools(): readonly unknown[] {
    const taken = this.#tools
    this.#tools = []
    return taken
  }

  takeCall(): JsonObject | undefined {
    const taken = this.#call
    this.#call = undefined
    return taken
  }

  note(message: JSONRPCMessage): void {
    if (!('method' in message) || !('id' in message)) return
    if (message.method === 'tools/list' || message.method === 'tools/call') {
      this.#methods.set(message.id, message.method)
    }
  }

  replace(message: JSONRPCMessage): JSONRPCMessage {
    if (this.#replaced.has(message) || !('result' in message)) return message
    const method = this.#methods.get(message.id)
    this.#methods.delete(message.id)
    const result: JsonObject = message.result
    if (method === 'tools/list') {
      this.#tools = Array.isArray(result['tools']) ? result['tools'] : []
      return this.#remember({ ...message, result: { ...describePage(result), tools: [] } })
    }
    if (method === 'tools/call' && result['resultType'] !== 'input_required') {
      this.#call = result
      const type = 'resultType' in result ? { resultType: result['resultType'] } : {}
      return this.#remember({ ...message, result: { ...type, content: [] } })
    }
    return message
  }

  #remember(message: JSONRPCMessage): JSONRPCMessage {
    this.#replaced.add(message)
    return message
  }
}

/** What we read of a page besides its tools. */
function describePage({ resultType, nextCursor, ttlMs, cacheScope }: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries({ resultType, nextCursor, ttlMs, cacheScope }).filter(([, value]) => value !== undefined),
  )
}
