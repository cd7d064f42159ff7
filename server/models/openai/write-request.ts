import { readNote } from '../call-note.ts'
import type { ModelMessage, ModelRequest } from '../model.ts'

/** What comes with a call in some dialects, and goes back with it: with the turn, and with the call itself. */
export interface OpenaiNote {
  readonly turn?: Readonly<Record<string, unknown>>
  readonly call?: Readonly<Record<string, unknown>>
}

/** What an upstream turned out not to know; newer and older servers disagree about both fields. */
export interface OpenaiDialect {
  readonly usageInStream: boolean
  readonly limitField: 'max_tokens' | 'max_completion_tokens'
}

export const plainDialect: OpenaiDialect = { usageInStream: true, limitField: 'max_tokens' }

/** The body of a chat completion request; `source` is whom it goes to (`noteSource`). */
export function writeOpenaiRequest(request: ModelRequest, dialect: OpenaiDialect, source: string): string {
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
