import { ReadableStream } from 'node:stream/web'
import { setTimeout } from 'node:timers/promises'
import {
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import type { ElicitationAnswer } from '@yonder/contract/elicitation'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { onAbort } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import { hideSecrets, readAuthorization } from '../../lib/hide-secret.ts'
import { toOrdinaryNumbers, type JsonObject } from '../../lib/json-object.ts'
import type { SentAnswer } from '../calls/elicitation-form.ts'
import type { ReadResult } from '../calls/read-result.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import type { ToolPage } from '../tools/read-tools.ts'
import type { LargeMessageReader } from './large-message-reader.ts'
import { maxDirectBytes, readMessage, type ReadMessage } from './read-message.ts'
import { readPieces, type ResponseBudget } from './response-budget.ts'
import type { ResponseScheduler } from './response-scheduler.ts'

/** Whose responses are read, and how. */
export interface ResponseSource {
  readonly userId: string
  /** The connector's address, which is part of the fingerprints of its tools. */
  readonly url: string
  readonly limits: ConnectorLimits
  /** Returns what is removed from responses as the token of the request is, such as values of the connector's headers. */
  readonly secrets?: () => readonly string[]
  readonly largeMessageReader: Pick<LargeMessageReader, 'read'>
  readonly responseScheduler: Pick<ResponseScheduler, 'next'>
}

/** The call whose response was cut off, if it was. */
interface Cut {
  readonly id: string | undefined
}

interface ReceivedElicitation {
  /** The call on whose stream it arrived, if that has only one. */
  readonly callId: string | undefined
  readonly params: unknown
}

/** A call of a tool that was passed to the transport. */
interface SentCall {
  readonly id: string
  /** Aborting it ends the response. */
  readonly end: AbortController
  wasSent: boolean
  isCancelled: boolean
}

/**
 * Reads the responses of one connection before the SDK does, see `readMessage`. Only the latest page or result is kept,
 * because a connection serves one request at a time. What arrives late, for an aborted call, reaches no later one.
 */
export class ResponseReader {
  readonly #source: ResponseSource
  readonly #budget: ResponseBudget
  /** The methods of the requests that have no response yet, by their ids as text. */
  readonly #pending = new Map<string, string>()
  #page: ToolPage | undefined
  #result: ReadResult | undefined
  #failure: AppError | undefined
  #lastStreamAt = 0
  #call: SentCall | undefined
  #isHttp = false
  /** Called each time that a call is sent to the server. */
  onCallSent: (() => void) | undefined
  readonly #cancellations = new Set<Promise<unknown>>()
  /** Until when aborted calls may still elicit, by their ids, in `performance.now()` milliseconds. */
  readonly #aborted = new Map<string, number>()
  /** By their ids. */
  readonly #elicitations = new Map<string, ReceivedElicitation>()
  #inputs: JsonObject | undefined
  /** Answers to elicitations by the ids of these, until they are sent. */
  readonly #answers = new Map<string, SentAnswer>()

  /** Responses that are refused, or end without a result, refuse the `budget`, which makes the request fail. */
  constructor(source: ResponseSource, budget: ResponseBudget) {
    this.#source = source
    this.#budget = budget
  }

  /** Returns the page of a list that was read since the last call. */
  takePage(): ToolPage | undefined {
    const page = this.#page
    this.#page = undefined
    return page
  }

  /** Returns the result of a call that was read since the last call. */
  takeResult(): ReadResult | undefined {
    const result = this.#result
    this.#result = undefined
    return result
  }

  /** Returns the result that requests input and was read since the last call. */
  takeInputs(): JsonObject | undefined {
    const inputs = this.#inputs
    this.#inputs = undefined
    return inputs
  }

  /** Returns why the latest request failed, if its response ended without a result. */
  takeFailure(): AppError | undefined {
    const failure = this.#failure
    this.#failure = undefined
    return failure
  }

  /** Call it before connecting. Follows each request to its end, also when it is cancelled or its response breaks. */
  watchRequests(transport: Transport): void {
    const send = transport.send.bind(transport)
    transport.send = (sent, options) => {
      const message = this.#withAnswer(sent)
      const cancelled = readCancelled(message)
      if (cancelled !== undefined) return this.#cancel(cancelled, () => send(message, options))
      if (!('method' in message && 'id' in message)) return send(message, options)
      const id = String(message.id)
      const signal = message.method === 'tools/call' ? this.#beginCall(id, options?.requestSignal) : undefined
      const onRequestStreamEnd = (): void => {
        // Without this the SDK would wait for a result until the request times out.
        if (this.#pending.delete(id)) {
          this.#failure = responseEnded()
          const error = { code: -32_000, message: this.#failure.message }
          transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error })
        }
        options?.onRequestStreamEnd?.()
      }
      const isStreamable = transport instanceof StreamableHTTPClientTransport
      return send(message, {
        ...options,
        onRequestStreamEnd,
        ...(isStreamable && signal !== undefined ? { requestSignal: signal } : {}),
      })
    }
  }

  /** Returns the signal that ends the response. With `modern`, the SDK cancels a request by aborting it. */
  #beginCall(id: string, modern: AbortSignal | undefined): AbortSignal {
    const call: SentCall = { id, end: new AbortController(), wasSent: false, isCancelled: false }
    this.#call = call
    this.#result = undefined
    this.#inputs = undefined
    this.#failure = undefined
    if (modern !== undefined) {
      onAbort(modern, () => {
        this.#pending.delete(id)
        call.isCancelled = true
      })
    }
    if (!this.#isHttp) this.onCallSent?.()
    return modern ?? call.end.signal
  }

  /** Sends the notification that cancels a request, and then ends its response. A request that was not sent yet is not. */
  async #cancel(id: string, send: () => Promise<void>): Promise<void> {
    this.#pending.delete(id)
    const call = this.#call?.id === id ? this.#call : undefined
    if (call !== undefined) call.isCancelled = true
    if (this.#isHttp && call?.wasSent === false) return call.end.abort()
    const { maxCancelMs, maxCallMs } = this.#source.limits
    if (call !== undefined) this.#aborted.set(id, performance.now() + maxCallMs)
    const sent = send()
    const end = async (): Promise<void> => {
      await Promise.race([sent, setTimeout(maxCancelMs, undefined, { ref: false })]).catch(() => undefined)
      call?.end.abort()
      this.#cancellations.delete(ended)
    }
    const ended = end()
    this.#cancellations.add(ended)
    return sent
  }

  /** Resolves when the cancellations of aborted requests have reached the server, or after `maxMs`. */
  async waitForCancellations(maxMs: number): Promise<void> {
    if (this.#cancellations.size === 0) return
    await Promise.race([Promise.all(this.#cancellations), setTimeout(maxMs, undefined, { ref: false })])
  }

  /**
   * Notes that a request is sent now.
   * @throws when it was cancelled before
   */
  noteSent(init: RequestInit | undefined): void {
    init?.signal?.throwIfAborted()
    const { id, method } = readRequest(init)
    const call = this.#call
    if (method !== 'tools/call' || call === undefined || id !== call.id) return
    if (call.isCancelled) throw new DOMException('The call was cancelled.', 'AbortError')
    call.wasSent = true
    this.onCallSent?.()
  }

  /**
   * Returns whether an elicitation belongs to the latest call, and its parameters as they were written, if they were
   * read here. On a stream that several calls share, an aborted one may have sent it.
   */
  takeElicitation(id: string | number): { readonly belongs: boolean; readonly written: unknown } {
    const { callId, params: written } = this.#elicitations.get(String(id)) ?? {}
    this.#elicitations.delete(String(id))
    const isOver = this.#call === undefined || this.#call.isCancelled
    const isOwn =
      callId === undefined
        ? [...this.#aborted.values()].every((until) => until < performance.now())
        : callId === this.#call?.id
    return { belongs: !isOver && isOwn, written }
  }

  /** Keeps an answer until it is sent, and returns it as the SDK accepts it, without the exact numbers. */
  holdAnswer(id: string | number, answer: SentAnswer): ElicitationAnswer {
    if (answer.content === undefined) return { action: answer.action }
    this.#answers.set(String(id), answer)
    return toOrdinaryNumbers(answer) as ElicitationAnswer
  }

  #withAnswer(message: JSONRPCMessage): JSONRPCMessage {
    if (this.#answers.size === 0 || 'method' in message) return message
    const content = this.#answers.get(String(message.id))?.content
    this.#answers.delete(String(message.id))
    return content === undefined || !('result' in message)
      ? message
      : { ...message, result: { ...message.result, content } }
  }

  /**
   * Wraps the fetch of a transport. An event stream is rewritten with one kind of line end and without comments and empty
   * events, which the SDK is slow to parse. The access token of a request is removed from its response. With
   * Streamable HTTP, a request fails at once when its response has status 202 or is JSON without the MCP response.
   * Responses count against the budget, and closed event streams are reopened with a delay and only a few times.
   */
  wrap(
    send: GuardedFetch['fetch'],
    transport: 'streamable_http' | 'sse' = 'streamable_http',
  ): GuardedFetch['fetch'] {
    this.#isHttp = true
    return async (input, init) => {
      const id = this.#register(init)
      if ((init?.method ?? 'GET') === 'GET' && acceptsEvents(init)) await this.#waitToReopen(init?.signal)
      const response = await send(input, init)
      const { ok, status, statusText, headers } = response
      const requestId = transport === 'sse' ? undefined : id
      if (requestId !== undefined && status === 202) {
        await response.body?.cancel()
        throw unanswered()
      }
      if (response.body === null) return response
      const secrets = [...readAuthorization(init?.headers), ...(this.#source.secrets?.() ?? [])]
      const type = headers.get('content-type') ?? ''
      const isEventStream = type.startsWith('text/event-stream')
      const { userId, responseScheduler } = this.#source
      // What was read of the result of a call is used, and the rest of its response is not read.
      const cut = { id: undefined as string | undefined }
      const pieces = readPieces(
        response.body,
        this.#budget,
        isEventStream,
        () => responseScheduler.next(userId),
        () => {
          const isCall = ok && requestId !== undefined && this.#pending.get(requestId) === 'tools/call'
          if (isCall) cut.id = requestId
          return isCall
        },
      )
      const read =
        ok && isEventStream
          ? this.#readEvents(pieces, secrets, transport, requestId, cut)
          : ok && type.startsWith('application/json')
            ? this.#readJson(pieces, secrets, requestId, cut)
            : readStart(pieces, secrets)
      return new Response(ReadableStream.from(read), { status, statusText, headers })
    }
  }

  async #waitToReopen(signal: AbortSignal | null | undefined): Promise<void> {
    const { maxReconnects, minReconnectMs } = this.#source.limits
    if (this.#budget.countStream() > maxReconnects) {
      throw new AppError('upstream_cut', 'The server closed its stream too many times. Try again later.')
    }
    const wait = this.#lastStreamAt + minReconnectMs - Date.now()
    this.#lastStreamAt = Date.now() + Math.max(0, wait)
    if (wait > 0) await setTimeout(wait, undefined, signal ? { signal } : {})
  }

  /** Returns the id of the request in a body as text; undefined for a notification or a response. */
  #register(init: RequestInit | undefined): string | undefined {
    const { id, method } = readRequest(init)
    if (id === undefined || method === undefined) return undefined
    this.#pending.set(id, method)
    return id
  }

  async *#readEvents(
    body: AsyncIterable<Uint8Array>,
    secrets: readonly string[],
    transport: 'streamable_http' | 'sse',
    requestId: string | undefined,
    cut: Cut,
  ): AsyncIterable<Uint8Array> {
    const events: (EventSourceMessage | { readonly retry: number })[] = []
    const parser = createParser({
      onEvent: (event) => events.push(event),
      onRetry: (retry) => events.push({ retry }),
    })
    const decoder = new TextDecoder()
    const encoder = new TextEncoder()
    try {
      for await (const piece of body) {
        parser.feed(decoder.decode(piece, { stream: true }))
        let text = ''
        for (const event of events.splice(0))
          text +=
            'retry' in event
              ? `retry: ${event.retry}\n\n`
              : await this.#rewriteEvent(event, secrets, requestId)
        if (text !== '') yield encoder.encode(text)
      }
      if (cut.id !== undefined) {
        // Ends the event that was cut off.
        parser.feed('\n\n')
        for (const event of events.splice(0)) {
          if ('data' in event)
            yield encoder.encode(`data: ${await this.#read(event.data, secrets, requestId, cut.id)}\n\n`)
        }
      }
    } catch (error) {
      if (transport === 'sse') this.#budget.refuse(responseEnded())
      throw error
    }
    // All results of HTTP+SSE arrive on one stream, so a request that is pending when it ends gets none.
    if (transport === 'sse') this.#budget.refuse(responseEnded())
  }

  async #rewriteEvent(
    { id, event, data }: EventSourceMessage,
    secrets: readonly string[],
    requestId: string | undefined,
  ): Promise<string> {
    // Other events, such as `endpoint` of HTTP+SSE, stay.
    const isMessage = event === undefined || event === 'message'
    const read =
      isMessage || data.length > maxDirectBytes
        ? await this.#read(data, secrets, requestId)
        : hideSecrets(data, secrets)
    if (isMessage && read.includes('"notifications/progress"'))
      this.#budget.uncountProgress(data.length, 2 + (event ? 1 : 0) + (id ? 1 : 0))
    // An event without a message and an id is dropped, because the SDK is slower to reject it than to parse a message.
    if (isMessage && !read.includes('"jsonrpc"') && id === undefined) return ''
    const name = event === undefined ? '' : `event: ${event}\n`
    return `${name}${id === undefined ? '' : `id: ${id}\n`}data: ${read.replaceAll('\n', '\ndata: ')}\n\n`
  }

  async *#readJson(
    body: AsyncIterable<Uint8Array>,
    secrets: readonly string[],
    requestId: string | undefined,
    cut: Cut,
  ): AsyncIterable<Uint8Array> {
    const pieces: Uint8Array[] = []
    for await (const piece of body) pieces.push(piece)
    // A large buffer has memory of its own, which can be passed to a thread without a copy.
    const read = await this.#read(Buffer.concat(pieces), secrets, requestId, cut.id)
    if (requestId !== undefined && this.#pending.has(requestId)) throw unanswered()
    yield new TextEncoder().encode(read)
  }

  /**
   * Returns the methods of the requests that a message on a common stream may answer, by their ids: an error without an
   * id must not end a call when it may be that of an aborted one.
   */
  #listUnanswered(): ReadonlyMap<string, string> {
    const aborted = [...this.#aborted].filter(([, until]) => until >= performance.now())
    return new Map([...this.#pending, ...aborted.map(([id]) => [id, 'tools/call'] as const)])
  }

  /** Reads a message and returns the JSON for the SDK. Bytes must not be used afterwards. */
  async #read(
    data: string | Uint8Array<ArrayBuffer>,
    secrets: readonly string[],
    requestId: string | undefined,
    cutFor?: string,
  ): Promise<string> {
    const { userId, largeMessageReader, url, limits } = this.#source
    const methods = requestId === undefined ? this.#listUnanswered() : this.#pending
    const received = { data, secrets, methods, url, limits, cutFor }
    let read: ReadMessage
    try {
      read =
        data.length > maxDirectBytes ? await largeMessageReader.read(userId, received) : readMessage(received)
      if (read.refusal !== undefined) throw toRefusal(read.refusal)
    } catch (error) {
      throw error instanceof AppError ? this.#budget.refuse(error) : error
    }
    const { elicitation } = read
    if (elicitation !== undefined)
      this.#elicitations.set(elicitation.id, { callId: requestId, params: elicitation.params })
    this.#inputs = read.inputs ?? this.#inputs
    for (const id of read.answered) {
      this.#pending.delete(id)
      this.#aborted.delete(id)
    }
    this.#page = read.page ?? this.#page
    if (read.result !== undefined && read.answered.includes(this.#call?.id ?? '')) this.#result = read.result
    return read.message
  }
}

/** Returns the id, as text, and the method of the message in a body. */
function readRequest(init: RequestInit | undefined): { readonly id?: string; readonly method?: string } {
  if (init?.method !== 'POST' || typeof init.body !== 'string') return {}
  const { id, method } = JSON.parse(init.body) as { id?: string | number; method?: string }
  return { ...(id === undefined ? {} : { id: String(id) }), ...(method === undefined ? {} : { method }) }
}

/** Returns the id of the request that a notification cancels. */
function readCancelled(message: JSONRPCMessage): string | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined
  return String(message.params?.['requestId'])
}

function acceptsEvents(init: RequestInit | undefined): boolean {
  return new Headers(init?.headers).get('accept')?.includes('text/event-stream') === true
}

/** The error of a request whose response, or whose stream of HTTP+SSE, has ended without a result. */
function responseEnded(): AppError {
  return new AppError(
    'upstream_cut',
    'The server ended its response before it sent a result. Try again later.',
  )
}

function unanswered(): SdkError {
  return new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'The response belongs to no request.')
}

function toRefusal(reason: NonNullable<ReadMessage['refusal']>): AppError {
  return reason === 'invalid'
    ? new AppError('upstream_invalid', 'The server sent a response that is not valid MCP. Check its address.')
    : new AppError('output_limit', 'The server sent a message that is too large.')
}

/** Returns the start of a response that is an error or not a message, in one piece. */
async function* readStart(
  body: AsyncIterable<Uint8Array>,
  secrets: readonly string[],
): AsyncIterable<Uint8Array> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes > maxDirectBytes) break
  }
  yield new TextEncoder().encode(hideSecrets(Buffer.concat(pieces).toString(), secrets))
}
