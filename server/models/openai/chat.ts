import type { AdapterDeps } from '../adapter.ts'
import { buildModelUrl, nameUpstream, requireKey } from '../endpoint.ts'
import type { ModelEndpoint } from '../endpoint.ts'
import { noteSource, PartQueue, readNote } from '../reply-parts.ts'
import { ModelFailure, toFailedPart } from '../failure.ts'
import { explainRefusal } from '../refusal.ts'
import { modelLimits } from '../adapter.ts'
import type { ModelRequest, ModelStream, ModelMessage } from '../model.ts'
import { postModelCall } from '../upstream/post-model-call.ts'
import type { ModelCall, ActiveCall } from '../upstream/post-model-call.ts'
import type { OpenaiNote } from './read-chunks.ts'
import { readResponse } from './read-response.ts'

const defaultPath = '/chat/completions'

/** Calls OpenAI-compatible chat completions: OpenAI, OpenRouter, Ollama, vLLM, DeepSeek and others. */
export function openaiChat(endpoint: ModelEndpoint, deps: AdapterDeps): ModelStream {
  const { guard, limits = modelLimits, now = Date.now } = deps

  return (request, options) => {
    const { signal } = options
    const parts = new PartQueue()
    let activeCall: ActiveCall | undefined

    async function call(dialect: OpenaiDialect): Promise<void> {
      const modelCall = writeCall(endpoint, request, dialect)
      guard.requireUrl(modelCall.url)
      const response = readResponse(modelCall, limits, parts)
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
      let dialect = plainDialect
      while (!signal.aborted) {
        try {
          return await call(dialect)
        } catch (error) {
          if (signal.aborted) return
          const nextDialect = parts.hasContent ? undefined : adaptDialect(dialect, error, request)
          if (nextDialect === undefined) return parts.push([toFailedPart(explain(error))])
          dialect = nextDialect
        }
      }
    }

    function explain(error: unknown): unknown {
      if (parts.hasContent) return error
      const url = buildModelUrl(endpoint, defaultPath, request.model)
      return explainRefusal(error, request, nameUpstream(endpoint, url))
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

function writeCall(endpoint: ModelEndpoint, request: ModelRequest, dialect: OpenaiDialect): ModelCall {
  const url = buildModelUrl(endpoint, defaultPath, request.model)
  const key = requireKey(endpoint.apiKey)
  return {
    url,
    headers: { accept: 'text/event-stream', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    body: writeRequest(request, dialect, noteSource('openai', url)),
    upstream: nameUpstream(endpoint, url),
    confidential: { key, contents: request.messages.map((message) => message.content) },
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

/** Fields that not every upstream supports: newer and older servers differ in both. */
interface OpenaiDialect {
  readonly usageInStream: boolean
  readonly limitField: 'max_tokens' | 'max_completion_tokens'
}

const plainDialect: OpenaiDialect = { usageInStream: true, limitField: 'max_tokens' }

/** The body of a chat completion request. `source` names the upstream (`noteSource`). */
function writeRequest(request: ModelRequest, dialect: OpenaiDialect, source: string): string {
  return JSON.stringify({
    model: request.model,
    messages: request.messages.map((message) => writeMessage(message, source)),
    stream: true,
    ...(dialect.usageInStream ? { stream_options: { include_usage: true } } : {}),
    ...(request.maxTokens === null ? {} : { [dialect.limitField]: request.maxTokens }),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, inputSchema }) => ({
            type: 'function',
            function: { name, description, parameters: inputSchema },
          })),
        }),
  })
}

function writeMessage(message: ModelMessage, source: string): Record<string, unknown> {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.callId, name: message.name, content: message.content }
  }
  const { role, content, toolCalls = [] } = message
  if (toolCalls.length === 0) return { role, content }
  const notes = toolCalls.map((call) => readNote(call.note, source) as OpenaiNote | undefined)
  return {
    role,
    content: content === '' ? null : content,
    tool_calls: toolCalls.map((call, index) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
      ...notes[index]?.call,
    })),
    ...notes.find((note) => note?.turn !== undefined)?.turn,
  }
}
