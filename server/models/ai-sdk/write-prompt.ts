import type { ProviderCall } from './formats.ts'
import { readNote } from '../reply-parts.ts'
import type { ModelMessage, ModelRequest } from '../model.ts'

type Prompt = ProviderCall['prompt']
type Tools = NonNullable<ProviderCall['tools']>

type Options = NonNullable<
  Extract<Prompt[number], { role: 'assistant' }>['content'][number]['providerOptions']
>

/** What a provider's package sent with a call and expects back: options of the call, and the signed thinking before it. */
export interface ProviderNote {
  readonly options?: Options
  readonly thinking?: readonly { readonly text: string; readonly options: Options }[]
}

/** A request in the form of the provider packages. `source` names the upstream (`noteSource`). */
export function writePrompt(request: ModelRequest, source: string): ProviderCall {
  return {
    prompt: request.messages.map((message) => writeMessage(message, source)),
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

function writeMessage(message: ModelMessage, source: string): Prompt[number] {
  if (message.role === 'tool') {
    const output = { type: 'text', value: message.content } as const
    return {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: message.callId, toolName: message.name, output }],
    }
  }
  const text = { type: 'text', text: message.content } as const
  if (message.role === 'user') return { role: 'user', content: [text] }
  const { toolCalls = [] } = message
  const notes = toolCalls.map((call) => readNote(call.note, source) as ProviderNote | undefined)
  const calls = toolCalls.map((call, index) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.name,
    input: JSON.parse(call.arguments) as unknown,
    ...withOptions(notes[index]?.options),
  }))
  const thinking = notes.flatMap((note) =>
    (note?.thinking ?? []).map((block) => ({
      type: 'reasoning' as const,
      text: block.text,
      ...withOptions(block.options),
    })),
  )
  // Anthropic refuses an empty text beside a call.
  const texts = message.content === '' && calls.length > 0 ? [] : [text]
  return { role: 'assistant', content: [...thinking, ...texts, ...calls] }
}

function withOptions(options: Options | undefined): { providerOptions?: Options } {
  return options === undefined ? {} : { providerOptions: options }
}
