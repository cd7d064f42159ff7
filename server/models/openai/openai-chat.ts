import type { AdapterDeps } from '../adapter-deps.ts'
import { buildModelUrl } from '../upstream/build-model-url.ts'
import type { ModelEndpoint } from '../model-endpoint.ts'
import { noteSource } from '../call-note.ts'
import { ModelFailure, toFailedPart } from '../model-failure.ts'
import { modelLimits } from '../model-limits.ts'
import type { ModelRequest, ModelStream, ModelStreamOptions } from '../model.ts'
import { nameUpstream } from '../upstream/name-upstream.ts'
import { postModelCall } from '../upstream/post-model-call.ts'
import type { ModelCall } from '../upstream/post-model-call.ts'
import { readOpenaiAnswer } from './read-openai-answer.ts'
import { refusesTools, withoutTools } from './refuses-tools.ts'
import { requireKey } from '../require-key.ts'
import { plainDialect, writeOpenaiRequest } from './write-openai-request.ts'
import type { OpenaiDialect } from './write-openai-request.ts'

const defaultPath = '/chat/completions'

/** Speaks OpenAI-compatible chat completions: OpenAI, OpenRouter, Ollama, vLLM, DeepSeek and their like. */
export function openaiChat(endpoint: ModelEndpoint, deps: AdapterDeps): ModelStream {
  const { guard, limits = modelLimits, now = Date.now } = deps

  async function ask(
    request: ModelRequest,
    options: ModelStreamOptions,
    dialect: OpenaiDialect,
  ): Promise<void> {
    const call = writeCall(endpoint, request, dialect)
    guard.requireUrl(call.url)
    const answer = readOpenaiAnswer(call, limits, options)
    await postModelCall(call, {
      dispatcher: guard.dispatcher,
      limits,
      now,
      signal: options.signal,
      gather: options.gather,
      onData: (chunk) => answer.push(chunk),
    })
    answer.end()
  }

  return async (request, options) => {
    let dialect = plainDialect
    while (!options.signal.aborted) {
      try {
        return await ask(request, options, dialect)
      } catch (error) {
        if (options.signal.aborted) return
        const other = adaptDialect(dialect, error, request)
        if (other === undefined) return options.onParts([toFailedPart(explain(error, request, endpoint))])
        dialect = other
      }
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
