import type { AdapterDeps } from '../adapter.ts'
import type { ModelEndpoint } from '../endpoint.ts'
import type { ModelMessage, ModelRequest, ModelStream } from '../model.ts'
import { readNote } from '../reply-parts.ts'
import { streamReply, type WireFormat } from '../upstream/stream-reply.ts'
import { ResponseEventReader, type ResponsesNote } from './read-response-events.ts'

/**
 * Calls the Responses API of OpenAI and compatible servers. The conversation is not stored there: the reasoning between
 * tool calls is received encrypted and sent back with their results.
 */
export function openaiResponses(endpoint: ModelEndpoint, deps: AdapterDeps): ModelStream {
  return streamReply(endpoint, responsesFormat, deps)
}

/** Fields that not every model supports. */
interface ResponsesDialect {
  readonly requestsEncryptedReasoning: boolean
  readonly requestsSummaries: boolean
}

/** Models without reasoning. Others are recognised by their refusal. */
const plainModel = /\b(?:gpt-3|gpt-4|chatgpt-4o|gpt-5-chat)/i

const responsesFormat: WireFormat<ResponsesDialect> = {
  apiType: 'openai-responses',
  defaultPath: '/responses',
  firstDialect({ model }) {
    const reasons = !plainModel.test(model)
    return { requestsEncryptedReasoning: reasons, requestsSummaries: reasons }
  },
  writeBody: writeRequest,
  adaptDialect,
  openReader: (call, limits) => new ResponseEventReader(call, limits),
}

/** Never returns to an earlier dialect, so the attempts end. */
function adaptDialect(dialect: ResponsesDialect, rejection: string): ResponsesDialect | undefined {
  if (dialect.requestsEncryptedReasoning && /encrypted|\binclude\b/i.test(rejection))
    return { ...dialect, requestsEncryptedReasoning: false }
  if (dialect.requestsSummaries && /summar|['"`]reasoning['"`]/i.test(rejection))
    return { ...dialect, requestsSummaries: false }
  return undefined
}

function writeRequest(request: ModelRequest, dialect: ResponsesDialect, source: string): string {
  const { instructions, maxTokens, tools, options: { temperature, topP, reasoningEffort } = {} } = request
  const reasoning = {
    ...(reasoningEffort === undefined ? {} : { effort: reasoningEffort }),
    ...(dialect.requestsSummaries ? { summary: 'auto' } : {}),
  }
  return JSON.stringify({
    model: request.model,
    input: request.messages.flatMap((message) => writeMessage(message, source)),
    stream: true,
    store: false,
    ...(dialect.requestsEncryptedReasoning ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(instructions === undefined ? {} : { instructions }),
    ...(maxTokens === null ? {} : { max_output_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function',
            name,
            description,
            parameters: inputSchema,
            // The default would require all parameters of every tool.
            strict: false,
          })),
        }),
  })
}

function writeMessage(message: ModelMessage, source: string): object[] {
  if (message.role === 'tool') {
    return [{ type: 'function_call_output', call_id: message.callId, output: message.content }]
  }
  const { role, content, toolCalls = [] } = message
  const calls = toolCalls.map(({ id, name, arguments: text, note }) => ({
    reasoning: (readNote(note, source) as ResponsesNote | undefined)?.reasoning ?? [],
    call: { type: 'function_call', call_id: id, name, arguments: text },
  }))
  const [first] = calls
  // The model reasons before it writes, so the reasoning of the first call precedes the text of the turn.
  return [
    ...(first?.reasoning ?? []),
    ...(content === '' && first !== undefined ? [] : [{ role, content }]),
    ...calls.flatMap(({ reasoning, call }, index) => [...(index === 0 ? [] : reasoning), call]),
  ]
}
