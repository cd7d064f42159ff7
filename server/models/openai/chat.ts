import type { AdapterDeps } from '../adapter.ts'
import { buildModelUrl, nameUpstream, requireKey } from '../endpoint.ts'
import type { ModelEndpoint } from '../endpoint.ts'
import { noteSource } from '../call-note.ts'
import { ModelFailure, toFailedPart, refusesTools, withoutTools } from '../failure.ts'
import { modelLimits } from '../adapter.ts'
import type { ModelRequest, ModelStream } from '../model.ts'
import { PartQueue } from '../reply-parts.ts'
import { postModelCall } from '../upstream/post-model-call.ts'
import type { ModelCall, ModelPost } from '../upstream/post-model-call.ts'
import { readOpenaiAnswer } from './read-answer.ts'
import { plainDialect, writeOpenaiRequest } from './write-request.ts'
import type { OpenaiDialect } from './write-request.ts'

const defaultPath = '/chat/completions'

/** Speaks OpenAI-compatible chat completions: OpenAI, OpenRouter, Ollama, vLLM, DeepSeek and their like. */
export function openaiChat(endpoint: ModelEndpoint, deps: AdapterDeps): ModelStream {
  const { guard, limits = modelLimits, now = Date.now } = deps

  return (request, options) => {
    const { signal } = options
    const parts = new PartQueue()
    let post: ModelPost | undefined

    async function ask(dialect: OpenaiDialect): Promise<void> {
      const call = writeCall(endpoint, request, dialect)
      guard.requireUrl(call.url)
      const answer = readOpenaiAnswer(call, limits, parts)
      post = postModelCall(call, {
        dispatcher: guard.dispatcher,
        limits,
        now,
        signal,
        onData: (chunk) => answer.push(chunk),
        onReadable: () => options.onReadable(parts.isFull),
      })
      await post.ended
      answer.end()
    }

    async function askInDialects(): Promise<void> {
      let dialect = plainDialect
      while (!signal.aborted) {
        try {
          return await ask(dialect)
        } catch (error) {
          if (signal.aborted) return
          const other = adaptDialect(dialect, error, request)
          if (other === undefined) return parts.push([toFailedPart(explain(error, request, endpoint))])
          dialect = other
        }
      }
    }

    return {
      drain() {
        post?.read()
        return signal.aborted ? [] : parts.drain()
      },
      closed: askInDialects(),
    }
  }
}

function explain(error: unknown, { tools, model }: ModelRequest, endpoint: ModelEndpoint): unknown {
  if (tools.length === 0 || !refusesTools(error)) return error
  return withoutTools(nameUpstream(endpoint, buildModelUrl(endpoint, defaultPath, model)))
}

function writeCall(endpoint: ModelEndpoint, request: ModelRequest, dialect: OpenaiDialect): ModelCall {
  const url = buildModelUrl(endpoint, defaultPath, request.model)
  const key = requireKey(endpoint.apiKey)
  return {
    url,
    headers: { accept: 'text/event-stream', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    body: writeOpenaiRequest(request, dialect, noteSource('openai', url)),
    upstream: nameUpstream(endpoint, url),
    guard: { key, contents: request.messages.map((message) => message.content) },
  }
}

/** The dialect to try next when an upstream refused a field that is not essential; each is tried once. */
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
