import type { AdapterDeps } from '../adapter.ts'
import type { ModelEndpoint } from '../endpoint.ts'
import type { ModelRequest, ModelStream, ModelMessage } from '../model.ts'
import { readNote } from '../reply-parts.ts'
import { streamReply, type WireFormat } from '../upstream/stream-reply.ts'
import { ChunkReader, type OpenaiNote } from './read-chunks.ts'

/** Calls OpenAI-compatible chat completions: OpenAI, OpenRouter, Ollama, vLLM, DeepSeek and others. */
export function openaiChat(endpoint: ModelEndpoint, deps: AdapterDeps): ModelStream {
  return streamReply(endpoint, chatFormat, deps)
}

/** Fields and roles that not every upstream supports. */
interface OpenaiDialect {
  readonly requestsUsage: boolean
  readonly limitField: 'max_tokens' | 'max_completion_tokens'
  /** The role of the instructions. With `user` they are put before the first message's text if that is the user's. */
  readonly instructionsRole: 'system' | 'developer' | 'user'
}

const chatFormat: WireFormat<OpenaiDialect> = {
  apiType: 'openai',
  defaultPath: '/chat/completions',
  firstDialect: () => ({ requestsUsage: true, limitField: 'max_tokens', instructionsRole: 'system' }),
  writeBody: writeRequest,
  adaptDialect,
  openReader: (call, limits) => new ChunkReader(call, limits),
}

/** Never returns to an earlier dialect, so the attempts end. */
function adaptDialect(
  dialect: OpenaiDialect,
  rejection: string,
  request: ModelRequest,
): OpenaiDialect | undefined {
  if (dialect.requestsUsage && rejection.includes('stream_options'))
    return { ...dialect, requestsUsage: false }
  const limitRefused = request.maxTokens !== null && rejection.includes('max_completion_tokens')
  if (limitRefused && dialect.limitField === 'max_tokens')
    return { ...dialect, limitField: 'max_completion_tokens' }
  const { instructionsRole } = dialect
  if (request.instructions === undefined || instructionsRole === 'user') return undefined
  const text = rejection.toLowerCase()
  // The refusal of some models names the system role although the request has the developer role.
  if (!text.includes('role') || !(text.includes('system') || text.includes(instructionsRole)))
    return undefined
  return { ...dialect, instructionsRole: instructionsRole === 'system' ? 'developer' : 'user' }
}

function writeRequest(request: ModelRequest, dialect: OpenaiDialect, source: string): string {
  const { temperature, topP, reasoningEffort } = request.options ?? {}
  return JSON.stringify({
    model: request.model,
    messages: writeMessages(request, dialect, source),
    stream: true,
    ...(dialect.requestsUsage ? { stream_options: { include_usage: true } } : {}),
    ...(request.maxTokens === null ? {} : { [dialect.limitField]: request.maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
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

function writeMessages(
  { instructions, messages }: ModelRequest,
  { instructionsRole }: OpenaiDialect,
  source: string,
): Record<string, unknown>[] {
  const written = messages.map((message) => writeMessage(message, source))
  if (instructions === undefined) return written
  const [first] = written
  if (instructionsRole !== 'user' || first?.['role'] !== 'user')
    return [{ role: instructionsRole, content: instructions }, ...written]
  return [{ ...first, content: `${instructions}\n\n${String(first['content'])}` }, ...written.slice(1)]
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
