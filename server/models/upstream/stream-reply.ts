import type { ApiType } from '@yonder/contract/bot'
import { modelLimits, type AdapterDeps, type ModelLimits } from '../adapter.ts'
import { buildModelUrl, nameUpstream, readApiKey, type ModelEndpoint } from '../endpoint.ts'
import { ModelFailure, toFailedPart } from '../failure.ts'
import {
  confidentialTexts,
  type ModelPart,
  type ModelReply,
  type ModelRequest,
  type ModelStream,
  type ModelStreamOptions,
} from '../model.ts'
import { explainRefusal } from '../refusal.ts'
import { noteSource, PartQueue } from '../reply-parts.ts'
import { postModelCall, type ActiveCall, type ModelCall } from './post-model-call.ts'
import { createResponseReader, type ReplyReader } from './read-response.ts'

/**
 * A wire format that needs no package of its provider. `Dialect` says how a request is written for servers that do
 * not support all of its fields.
 */
export interface WireFormat<Dialect extends object> {
  readonly apiType: ApiType
  readonly defaultPath: string
  firstDialect(request: ModelRequest, url: URL): Dialect
  /** The body of a request. It contains only the notes of calls whose source is `source` (see `CallNote`). */
  writeBody(request: ModelRequest, dialect: Dialect, source: string): string
  /**
   * The dialect to try next after an error; undefined when another dialect would not help. `rejection` is what the
   * upstream said about the error (`ModelFailure.rejection`), and not empty.
   */
  adaptDialect(dialect: Dialect, rejection: string, request: ModelRequest): Dialect | undefined
  openReader(call: ModelCall, limits: ModelLimits): ReplyReader
}

/** Calls a model in a wire format, and again in another dialect when the upstream refuses a field. */
export function streamReply<Dialect extends object>(
  endpoint: ModelEndpoint,
  format: WireFormat<Dialect>,
  deps: AdapterDeps,
): ModelStream {
  return (request, options) => new StreamedReply({ endpoint, format, deps, request, options })
}

interface CallContext<Dialect extends object> {
  readonly endpoint: ModelEndpoint
  readonly format: WireFormat<Dialect>
  readonly deps: AdapterDeps
  readonly request: ModelRequest
  readonly options: ModelStreamOptions
}

class StreamedReply<Dialect extends object> implements ModelReply {
  readonly closed: Promise<void>
  readonly #context: CallContext<Dialect>
  readonly #parts = new PartQueue()
  #activeCall: ActiveCall | undefined
  #upstream = ''

  constructor(context: CallContext<Dialect>) {
    this.#context = context
    this.closed = this.#callWithDialects()
  }

  drain(): readonly ModelPart[] {
    this.#activeCall?.read()
    return this.#context.options.signal.aborted ? [] : this.#parts.drain()
  }

  async #callWithDialects(): Promise<void> {
    const { endpoint, format, deps, request, options } = this.#context
    const { signal } = options
    let dialect: Dialect | undefined
    let key = ''
    let isAdapted = false
    while (!signal.aborted) {
      try {
        if (dialect === undefined) {
          const url = buildModelUrl(endpoint, format.defaultPath, request.model)
          key = JSON.stringify([format.apiType, url.href, request.model, request.options])
          dialect = (deps.dialects?.find(key) as Dialect | undefined) ?? format.firstDialect(request, url)
        }
        await this.#call(dialect)
        if (isAdapted) deps.dialects?.remember(key, dialect)
        return
      } catch (error) {
        if (signal.aborted) return
        dialect = dialect && this.#adaptDialect(dialect, error)
        if (dialect === undefined) {
          // What was remembered may be the reason, so the next call starts afresh.
          if (error instanceof ModelFailure && error.rejection !== '') deps.dialects?.forget(key)
          return this.#fail(error)
        }
        isAdapted = true
      }
    }
  }

  async #call(dialect: Dialect): Promise<void> {
    const { endpoint, format, deps, request, options } = this.#context
    const { guard, limits = modelLimits, now = Date.now } = deps
    const modelCall = writeCall(endpoint, format, request, dialect)
    this.#upstream = modelCall.upstream
    guard.requireUrl(modelCall.url)
    const parts = this.#parts
    const response = createResponseReader(
      modelCall,
      limits,
      parts,
      format.openReader(modelCall, limits),
      options.onWhole,
    )
    this.#activeCall = postModelCall(modelCall, {
      dispatcher: guard.dispatcher,
      limits,
      now,
      signal: options.signal,
      onData: (chunk) => response.push(chunk),
      onReadable: () => options.onReadable(parts.isFull),
    })
    await this.#activeCall.ended
    response.end()
  }

  #adaptDialect(dialect: Dialect, error: unknown): Dialect | undefined {
    const rejection = error instanceof ModelFailure ? error.rejection : ''
    if (rejection === '' || this.#parts.hasContent) return undefined
    return this.#context.format.adaptDialect(dialect, rejection, this.#context.request)
  }

  #fail(error: unknown): void {
    const { request } = this.#context
    const reason = this.#parts.hasContent ? error : explainRefusal(error, request, () => this.#upstream)
    this.#parts.push([toFailedPart(reason)])
  }
}

function writeCall<Dialect extends object>(
  endpoint: ModelEndpoint,
  format: WireFormat<Dialect>,
  request: ModelRequest,
  dialect: Dialect,
): ModelCall {
  const url = buildModelUrl(endpoint, format.defaultPath, request.model)
  const key = readApiKey(endpoint.apiKey)
  const source = noteSource({ apiType: format.apiType, url, model: request.model, key })
  return {
    url,
    source,
    headers: { accept: 'text/event-stream', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    body: format.writeBody(request, dialect, source),
    upstream: nameUpstream(endpoint, url),
    confidential: { key, contents: confidentialTexts(request) },
  }
}
