import type { ModelMessage, ModelRequest } from './model.ts'
import type { ProviderCall } from './ask-provider.ts'

type Prompt = ProviderCall['prompt']
type Tools = NonNullable<ProviderCall['tools']>

/** A request in the shape that the provider packages take. */
export function writeProviderPrompt(request: ModelRequest): ProviderCall {
  return {
    prompt: request.messages.map(writeMessage),
    ...(request.maxTokens === null ? {} : { maxOutputTokens: request.maxTokens }),
    ...(request.tools.length === 0 ? {} : { tools: writeTools(request) }),
  }
}

function writeTools(request: ModelRequest): Tools {
  return request.tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    inputSchema,
  }))
}

function writeMessage(message: ModelMessage): Prompt[number] {
  if (message.role === 'tool') {
    const output = { type: 'text', value: message.content } as const
    return {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: message.callId, toolName: message.name, output }],
    }
  }
  const text = { type: 'text', text: message.content } as const
  if (message.role === 'user') return { role: 'user', content: [text] }
  const calls = (message.toolCalls ?? []).map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.name,
    input: JSON.parse(call.arguments) as unknown,
  }))
  // Anthropic refuses an empty text beside a call.
  return { role: 'assistant', content: message.content === '' && calls.length > 0 ? calls : [text, ...calls] }
}
