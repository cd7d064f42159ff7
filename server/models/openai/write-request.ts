import { readNote } from '../call-note.ts'
import type { ModelMessage, ModelRequest } from '../model.ts'

/** Fields that some servers send with a tool call and expect back. */
export interface OpenaiNote {
  /** Sent back in the assistant message. */
  readonly turn?: Readonly<Record<string, unknown>>
  /** Sent back in the call. */
  readonly call?: Readonly<Record<string, unknown>>
}

/** Fields that not every upstream supports: newer and older servers differ in both. */
export interface OpenaiDialect {
  readonly usageInStream: boolean
  readonly limitField: 'max_tokens' | 'max_completion_tokens'
}

export const plainDialect: OpenaiDialect = { usageInStream: true, limitField: 'max_tokens' }

/** The body of a chat completion request. `source` names the upstream (`noteSource`). */
export function writeRequest(request: ModelRequest, dialect: OpenaiDialect, source: string): string {
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
