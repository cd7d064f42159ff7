import type { ApiType } from '@yonder/contract/bot'
import { modelLimits, type AdapterDeps, type ModelLimits } from '../adapter.ts'
import { buildModelUrl, nameUpstream, readApiKey, type ModelEndpoint } from '../endpoint.ts'
import { toFailedPart } from '../failure.ts'
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
import { callInDialects, type Dialect } from './call-in-dialects.ts'
import { leaveOut } from './optional-fields.ts'
import { postModelCall, type ActiveCall, type ModelCall } from './post-model-call.ts'
import { createResponseReader, type ReplyReader } from './read-response.ts'

/**
 * A wire format that needs no package of its provider. `Own` is its dialect.
 */
export interface WireFormat<Own extends Dialect> {
  readonly apiType: ApiType
  readonly defaultPath: string
  firstDialect(request: ModelRequest, url: URL): Own
  /** The body of a request. It contains only the notes of calls whose source is `source` (see `CallNote`). */
  writeBody(request: ModelRequest, dialect: Own, source: string): string
  /**
   * The dialect to try next after an error; undefined when another dialect would not help. `rejection` is what the
   * upstream said about the error (`ModelFailure.rejection`), and not empty.
   */
  adaptDialect(dialect: Own, rejection: string, request: ModelRequest): Own | undefined
  openReader(call: ModelCall, limits: ModelLimits): ReplyReader
}

/** Calls a model in a wire format, and again in another dialect when the upstream refuses a field. */
export function streamReply<Own extends Dialect>(
  endpoint: ModelEndpoint,
  format: WireFormat<Own>,
  deps: AdapterDeps,
): ModelStream {
  return (request, options) => new StreamedReply({ endpoint, format, deps, request, options })
}

interface CallContext<Own extends Dialect> {
  readonly endpoint: ModelEndpoint
  readonly format: WireFormat<Own>
  readonly deps: AdapterDeps
  readonly request: ModelRequest
  readonly options: ModelStreamOptions
}

class StreamedReply<Own extends Dialect> implements ModelReply {
  readonly closed: Promise<void>
  readonly #context: CallContext<Own>
  readonly #parts = new PartQueue()
  #activeCall: ActiveCall | undefined
  #upstream = ''
  #body = ''

  constructor(context: CallContext<Own>) {
    this.#context = context
    this.closed = this.#callWithDialects()
  }

  drain(): readonly ModelPart[] {
    this.#activeCall?.read()
    return this.#context.options.signal.aborted ? [] : this.#parts.drain()
  }

  async #callWithDialects(): Promise<void> {
    const { endpoint, format, deps, request, options } = this.#context
    try {
      await callInDialects<Own>({
        memory: deps.dialects,
        signal: options.signal,
        open: () => {
          const url = buildModelUrl(endpoint, format.defaultPath, request.model)
          const key = JSON.stringify([format.apiType, url.href, request.model])
          return { key, first: format.firstDialect(request, url) }
        },
        call: (dialect) => this.#call(dialect),
        sentBody: () => this.#body,
        hasContent: () => this.#parts.hasContent,
        adapt: (dialect, rejection) => format.adaptDialect(dialect, rejection, request),
        explain: (error) => explainRefusal(error, request, () => this.#upstream),
      })
    } catch (error) {
      if (!options.signal.aborted) this.#parts.push([toFailedPart(error)])
    }
  }

  async #call(dialect: Own): Promise<void> {
    const { endpoint, format, deps, request, options } = this.#context
    const { guard, limits = modelLimits, now = Date.now } = deps
    const modelCall = writeCall(endpoint, format, request, dialect)
    this.#upstream = modelCall.upstream
    this.#body = modelCall.body
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
}

function writeCall<Own extends Dialect>(
  endpoint: ModelEndpoint,
  format: WireFormat<Own>,
  request: ModelRequest,
  dialect: Own,
): ModelCall {
  const url = buildModelUrl(endpoint, format.defaultPath, request.model)
  const key = readApiKey(endpoint.apiKey)
  const source = noteSource({ apiType: format.apiType, url, model: request.model, key })
  return {
    url,
    source,
    headers: { accept: 'text/event-stream', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    body: leaveOut(format.writeBody(request, dialect, source), dialect.leftOut),
    upstream: nameUpstream(endpoint, url),
    confidential: { key, contents: confidentialTexts(request) },
  }
}
