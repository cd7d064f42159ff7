import type { AdapterDeps } from '../adapter.ts'
import { buildModelUrl, nameUpstream, requireKey } from '../endpoint.ts'
import type { ModelEndpoint } from '../endpoint.ts'
import { noteSource } from '../call-note.ts'
import { ModelFailure, toFailedPart, refusesTools, noToolSupport } from '../failure.ts'
import { modelLimits } from '../adapter.ts'
import type { ModelRequest, ModelStream } from '../model.ts'
import { PartQueue } from '../reply-parts.ts'
import { postModelCall } from '../upstream/post-model-call.ts'
import type { ModelCall, ModelPost } from '../upstream/post-model-call.ts'
import { readResponse } from './read-response.ts'
import { plainDialect, writeRequest } from './write-request.ts'
import type { OpenaiDialect } from './write-request.ts'

const defaultPath = '/chat/completions'

/** Calls OpenAI-compatible chat completions: OpenAI, OpenRouter, Ollama, vLLM, DeepSeek and others. */
export function openaiChat(endpoint: ModelEndpoint, deps: AdapterDeps): ModelStream {
  const { guard, limits = modelLimits, now = Date.now } = deps

  return (request, options) => {
    const { signal } = options
    const parts = new PartQueue()
    let post: ModelPost | undefined

    async function call(dialect: OpenaiDialect): Promise<void> {
      const modelCall = writeCall(endpoint, request, dialect)
      guard.requireUrl(modelCall.url)
      const response = readResponse(modelCall, limits, parts)
      post = postModelCall(modelCall, {
        dispatcher: guard.dispatcher,
        limits,
        now,
        signal,
        onData: (chunk) => response.push(chunk),
        onReadable: () => options.onReadable(parts.isFull),
      })
      await post.ended
      response.end()
    }

    async function callInDialects(): Promise<void> {
      let dialect = plainDialect
      while (!signal.aborted) {
        try {
          return await call(dialect)
        } catch (error) {
          if (signal.aborted) return
          const nextDialect = adaptDialect(dialect, error, request)
          if (nextDialect === undefined) return parts.push([toFailedPart(describe(error, request, endpoint))])
          dialect = nextDialect
        }
      }
    }

    return {
      drain() {
        post?.read()
        return signal.aborted ? [] : parts.drain()
      },
      closed: callInDialects(),
    }
  }
}

function describe(error: unknown, { tools, model }: ModelRequest, endpoint: ModelEndpoint): unknown {
  if (tools.length === 0 || !refusesTools(error)) return error
  return noToolSupport(nameUpstream(endpoint, buildModelUrl(endpoint, defaultPath, model)))
}

function writeCall(endpoint: ModelEndpoint, request: ModelRequest, dialect: OpenaiDialect): ModelCall {
  const url = buildModelUrl(endpoint, defaultPath, request.model)
  const key = requireKey(endpoint.apiKey)
  return {
    url,
    headers: { accept: 'text/event-stream', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    body: writeRequest(request, dialect, noteSource('openai', url)),
    upstream: nameUpstream(endpoint, url),
    guard: { key, contents: request.messages.map((message) => message.content) },
  }
}

/** The dialect to try next when an upstream refused an optional field. Each dialect is tried once. */
function adaptDialect(
  dialect: OpenaiDialect,
  error: unknown,
  request: ModelRequest,
): OpenaiDialect | undefined {
  const rejection = error instanceof ModelFailure ? error.rejection : ''
  if (dialect.usageInStream && rejection.includes('stream_options'))
    return { ...dialect, usageInStream: false }
  const limitRefused = request.maxTokens !== null && rejection.includes('max_completion_tokens')
  if (limitRefused && dialect.limitField === 'max_tokens')
    return { ...dialect, limitField: 'max_completion_tokens' }
  return undefined
}
