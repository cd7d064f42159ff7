import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

type JsonObject = Readonly<Record<string, unknown>>
type Handler = NonNullable<Transport['onmessage']>

/** The last results of a server as it sent them. */
export interface RawResults {
  /** The `tools` of the last page of a list. */
  takeTools(): readonly unknown[]
  /** The last result of a call, whole. */
  takeCall(): JsonObject | undefined
}

/**
 * Captures the results of lists and calls before the SDK sees them: it would validate every part and reject the whole
 * for one bad part. The SDK gets an empty result instead, and we read the raw one part by part. Call it before
 * connecting; it expects one request at a time.
 */
export function captureRawResults(transport: Transport): RawResults {
  const capture = new ResultCapture()
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    capture.note(message)
    return send(message, options)
  }
  let handler: Handler | undefined
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: (): Handler | undefined => {
      const current = handler
      return current === undefined ? undefined : (message, extra) => current(capture.replace(message), extra)
    },
    set: (next: Handler | undefined) => {
      handler = next
    },
  })
  return capture
}

class ResultCapture implements RawResults {
  readonly #methods = new Map<unknown, string>()
  /** Messages that were replaced already: the SDK passes one message through several handlers. */
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

/** The fields of a page that are read besides its tools. */
function describePage({ resultType, nextCursor, ttlMs, cacheScope }: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries({ resultType, nextCursor, ttlMs, cacheScope }).filter(([, value]) => value !== undefined),
  )
}
