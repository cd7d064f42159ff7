import type { ApiType } from '@yonder/contract/bot'
import { modelLimits } from '../adapter.ts'
import type { AdapterDeps, ModelLimits } from '../adapter.ts'
import { buildModelUrl, nameUpstream, requireKey } from '../endpoint.ts'
import type { ModelEndpoint } from '../endpoint.ts'
import { ModelFailure, toFailedPart } from '../failure.ts'
import { confidentialTexts } from '../model.ts'
import type { ModelRequest, ModelStream } from '../model.ts'
import { explainRefusal } from '../refusal.ts'
import { noteSource, PartQueue } from '../reply-parts.ts'
import { postModelCall } from './post-model-call.ts'
import type { ActiveCall, ModelCall } from './post-model-call.ts'
import { readResponse } from './read-response.ts'
import type { ReplyReader } from './read-response.ts'

/** A wire format of OpenAI. `Dialect` are the fields that not every server of the format supports. */
export interface WireFormat<Dialect> {
  readonly apiType: ApiType
  readonly defaultPath: string
  firstDialect(request: ModelRequest): Dialect
  /** The body of a request. `source` names the upstream (`noteSource`). */
  writeBody(request: ModelRequest, dialect: Dialect, source: string): string
  /**
   * The dialect to try next after an error; undefined when another dialect would not help. `rejection` is the body of a
   * refused request.
   */
  adaptDialect(dialect: Dialect, rejection: string, request: ModelRequest): Dialect | undefined
  openReader(call: ModelCall, limits: ModelLimits): ReplyReader
}

/** Calls a model in a wire format that needs no package of its provider. */
export function streamReply<Dialect>(
  endpoint: ModelEndpoint,
  format: WireFormat<Dialect>,
  deps: AdapterDeps,
): ModelStream {
  const { guard, limits = modelLimits, now = Date.now } = deps

  return (request, options) => {
    const { signal } = options
    const parts = new PartQueue()
    let activeCall: ActiveCall | undefined
    let upstream = ''

    async function call(dialect: Dialect): Promise<void> {
      const modelCall = writeCall(endpoint, format, request, dialect)
      upstream = modelCall.upstream
      guard.requireUrl(modelCall.url)
      const response = readResponse(modelCall, limits, parts, format.openReader(modelCall, limits))
      activeCall = postModelCall(modelCall, {
        dispatcher: guard.dispatcher,
        limits,
        now,
        signal,
        onData: (chunk) => response.push(chunk),
        onReadable: () => options.onReadable(parts.isFull),
      })
      await activeCall.ended
      response.end()
    }

    async function callWithDialects(): Promise<void> {
      let dialect = format.firstDialect(request)
      while (!signal.aborted) {
        try {
          return await call(dialect)
        } catch (error) {
          if (signal.aborted) return
          const nextDialect = parts.hasContent ? undefined : adaptDialect(dialect, error)
          if (nextDialect === undefined) {
            const reason = parts.hasContent ? error : explainRefusal(error, request, () => upstream)
            return parts.push([toFailedPart(reason)])
          }
          dialect = nextDialect
        }
      }
    }

    function adaptDialect(dialect: Dialect, error: unknown): Dialect | undefined {
      const rejection = error instanceof ModelFailure ? error.rejection : ''
      return rejection === '' ? undefined : format.adaptDialect(dialect, rejection, request)
    }

    return {
      drain() {
        activeCall?.read()
        return signal.aborted ? [] : parts.drain()
      },
      closed: callWithDialects(),
    }
  }
}

function writeCall<Dialect>(
  endpoint: ModelEndpoint,
  format: WireFormat<Dialect>,
  request: ModelRequest,
  dialect: Dialect,
): ModelCall {
  const url = buildModelUrl(endpoint, format.defaultPath, request.model)
  const key = requireKey(endpoint.apiKey)
  return {
    url,
    headers: { accept: 'text/event-stream', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    body: format.writeBody(request, dialect, noteSource(format.apiType, url)),
    upstream: nameUpstream(endpoint, url),
    confidential: { key, contents: confidentialTexts(request) },
  }
}
