import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { AppError } from '../../lib/app-error.ts'
import { readResult, type ReadResult } from '../calls/read-result.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import type { LargeMessageReader } from '../responses/large-message-reader.ts'
import { pickPageFields, pickResultType, type ReadMessage } from '../responses/read-large-message.ts'
import type { ReadLarge } from '../responses/read-messages.ts'
import { readPage, type ToolPage } from '../tools/read-tools.ts'

type JsonObject = Readonly<Record<string, unknown>>
type Handler = NonNullable<Transport['onmessage']>

/** The latest results of a server. Each can be consumed once. */
export interface CapturedResults {
  /** The latest page of a list; empty when there is none. */
  consumePage(): ToolPage
  /** The latest result of a call; undefined when there is none. */
  consumeCallResult(): Promise<ReadResult | undefined>
  /** Drops the results that were not consumed. */
  clear(): void
}

/** Whose results are captured, and how they are read. */
export interface ResultSource {
  readonly userId: string
  /** The connector's address, which is part of the fingerprints of its tools. */
  readonly url: string
  readonly limits: ConnectorLimits
  readonly largeMessageReader: LargeMessageReader
}

/** Called when the response to a request has ended without its result. */
type OnUnanswered = (error: AppError) => void

/**
 * Captures the results of `tools/list` and `tools/call` before the SDK sees them, because the SDK rejects a whole
 * result for one invalid part. The SDK gets an empty result instead, and we read the raw one part by part. Only the
 * latest result is kept, because a connection serves one request at a time.
 */
export class ResultCapture implements CapturedResults {
  readonly #source: ResultSource
  readonly #methods = new Map<unknown, string>()
  /** The replacements, which are not replaced again: the SDK passes one message through several handlers. */
  readonly #replaced = new WeakSet<object>()
  #page: ToolPage | undefined
  /** The latest result of a call, before it is read. */
  #raw: JsonObject | undefined
  /** The latest result of a call that the thread for large messages has read. */
  #read: ReadResult | undefined

  constructor(source: ResultSource) {
    this.#source = source
  }

  /** Captures the results that a transport receives. Call this before connecting. */
  attach(transport: Transport, onUnanswered: OnUnanswered): void {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => {
      this.#onRequest(message)
      // Without this callback the SDK would wait for the result until the request times out.
      const onRequestStreamEnd = (): void => {
        if ('id' in message && this.#methods.has(message.id)) onUnanswered(responseEnded())
        options?.onRequestStreamEnd?.()
      }
      return send(message, { ...options, onRequestStreamEnd })
    }
    let handler: Handler | undefined
    Object.defineProperty(transport, 'onmessage', {
      configurable: true,
      enumerable: true,
      get: (): Handler | undefined => {
        const current = handler
        return current === undefined
          ? undefined
          : (message, extra) => current(this.#replaceResult(message), extra)
      },
      set: (next: Handler | undefined) => {
        handler = next
      },
    })
  }

  /**
   * Captures the result in a message that is too large for the main thread.
   * @throws AppError when the message is refused or cannot be read in time
   */
  readonly readLarge: ReadLarge = async (data, secret) => {
    const { userId, largeMessageReader, url, limits } = this.#source
    const read = await largeMessageReader.read(userId, { data, secret, methods: this.#methods, url, limits })
    if (read.kind === 'ignored') return undefined
    if (read.kind === 'refused') throw toRefusal(read)
    if (read.kind !== 'other') this.#methods.delete(read.id)
    if (read.kind === 'page') this.#page = read.page
    if (read.kind === 'result') this.#read = read.result
    return read.message
  }

  consumePage(): ToolPage {
    const page = this.#page
    this.#page = undefined
    return page ?? { tools: [], count: 0 }
  }

  async consumeCallResult(): Promise<ReadResult | undefined> {
    const [raw, read] = [this.#raw, this.#read]
    this.clear()
    return raw === undefined ? read : readResult(raw, this.#source.limits)
  }

  clear(): void {
    this.#page = undefined
    this.#raw = undefined
    this.#read = undefined
  }

  #onRequest(message: JSONRPCMessage): void {
    if (!('method' in message) || !('id' in message)) return
    if (message.method === 'tools/list' || message.method === 'tools/call') {
      this.#methods.set(message.id, message.method)
    }
  }

  #replaceResult(message: JSONRPCMessage): JSONRPCMessage {
    if (this.#replaced.has(message)) return message
    // A response with an error is a response too.
    if ('error' in message) this.#methods.delete(message.id)
    if (!('result' in message)) return message
    const method = this.#methods.get(message.id)
    this.#methods.delete(message.id)
    const result: JsonObject = message.result
    if (method === 'tools/list') {
      const tools: readonly unknown[] = Array.isArray(result['tools']) ? result['tools'] : []
      this.#page = readPage(tools, this.#source.url, this.#source.limits)
      return this.#markReplaced({ ...message, result: { ...pickPageFields(result), tools: [] } })
    }
    if (method === 'tools/call' && result['resultType'] !== 'input_required') {
      this.#raw = result
      return this.#markReplaced({ ...message, result: { ...pickResultType(result), content: [] } })
    }
    return message
  }

  #markReplaced(message: JSONRPCMessage): JSONRPCMessage {
    this.#replaced.add(message)
    return message
  }
}

/** The error of a request whose response, or whose stream of HTTP+SSE, has ended without a result. */
export function responseEnded(): AppError {
  return new AppError(
    'upstream_cut',
    'The server ended its response before it sent a result. Try again later.',
  )
}

function toRefusal({ reason }: Extract<ReadMessage, { kind: 'refused' }>): AppError {
  return reason === 'invalid'
    ? new AppError('upstream_invalid', 'The server sent a response that is not valid MCP. Check its address.')
    : new AppError('output_limit', 'The server sent a message that is too large.')
}
