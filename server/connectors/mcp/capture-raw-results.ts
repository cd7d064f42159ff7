import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

type JsonObject = Readonly<Record<string, unknown>>
type Handler = NonNullable<Transport['onmessage']>

/** The latest results of a server, exactly as it sent them. Each can be read once. */
export interface RawResults {
  /** The `tools` of the latest page of a list. */
  consumeTools(): readonly unknown[]
  /** The whole latest result of a call. */
  consumeCallResult(): JsonObject | undefined
}

/**
 * Captures the results of `tools/list` and `tools/call` before the SDK sees them, because the SDK rejects a whole
 * result for one invalid part. The SDK gets an empty result instead, and we read the raw one part by part. Call this
 * before connecting, and send one request at a time.
 */
export function captureRawResults(transport: Transport): RawResults {
  const capture = new ResultCapture()
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    capture.onRequest(message)
    return send(message, options)
  }
  let handler: Handler | undefined
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: (): Handler | undefined => {
      const current = handler
      return current === undefined
        ? undefined
        : (message, extra) => current(capture.replaceResult(message), extra)
    },
    set: (next: Handler | undefined) => {
      handler = next
    },
  })
  return capture
}

class ResultCapture implements RawResults {
  readonly #methods = new Map<unknown, string>()
  /** Messages that are already replacements, because the SDK passes one message through several handlers. */
  readonly #replaced = new WeakSet<object>()
  #tools: readonly unknown[] = []
  #call: JsonObject | undefined

  consumeTools(): readonly unknown[] {
    const tools = this.#tools
    this.#tools = []
    return tools
  }

  consumeCallResult(): JsonObject | undefined {
    const result = this.#call
    this.#call = undefined
    return result
  }

  onRequest(message: JSONRPCMessage): void {
    if (!('method' in message) || !('id' in message)) return
    if (message.method === 'tools/list' || message.method === 'tools/call') {
      this.#methods.set(message.id, message.method)
    }
  }

  replaceResult(message: JSONRPCMessage): JSONRPCMessage {
    if (this.#replaced.has(message) || !('result' in message)) return message
    const method = this.#methods.get(message.id)
    this.#methods.delete(message.id)
    const result: JsonObject = message.result
    if (method === 'tools/list') {
      this.#tools = Array.isArray(result['tools']) ? result['tools'] : []
      return this.#markReplaced({ ...message, result: { ...describePage(result), tools: [] } })
    }
    if (method === 'tools/call' && result['resultType'] !== 'input_required') {
      this.#call = result
      const type = 'resultType' in result ? { resultType: result['resultType'] } : {}
      return this.#markReplaced({ ...message, result: { ...type, content: [] } })
    }
    return message
  }

  #markReplaced(message: JSONRPCMessage): JSONRPCMessage {
    this.#replaced.add(message)
    return message
  }
}

/** Returns the fields of a page that the SDK needs besides the tools. */
function describePage({ resultType, nextCursor, ttlMs, cacheScope }: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries({ resultType, nextCursor, ttlMs, cacheScope }).filter(([, value]) => value !== undefined),
  )
}
