import type { AnthropicProvider } from '@ai-sdk/anthropic'
import { parseJsonExactly } from '@yonder/contract/lib/exact-json'
import {
  anySignature,
  longIdPattern,
  movePictures,
  shownThinking,
  writeCallIds,
  writeToolName,
  type ReturnedThinking,
} from '../conversation.ts'
import {
  callsOf,
  mediaOf,
  textOf,
  type MediaPart,
  type ModelMessage,
  type ModelRequest,
  type ResultPart,
} from '../model.ts'
import { readNote } from '../reply-parts.ts'

/** A model of a provider package; all packages share this type. */
export type ProviderModel = ReturnType<AnthropicProvider['languageModel']>

/** A request in the form of the provider packages. */
type ProviderCall = Parameters<ProviderModel['doStream']>[0]
type Prompt = ProviderCall['prompt']
type Tools = NonNullable<ProviderCall['tools']>

/** Options that only one provider's package reads, by the name of the provider. */
export type ProviderOptions = NonNullable<ProviderCall['providerOptions']>

/** The options of a request that providers express in their own ways. */
export interface WrittenOptions {
  readonly providerOptions: ProviderOptions
  /** The limit of output tokens; null means the provider's default. */
  readonly maxTokens: number | null
  /** Set when the request does not ask for thinking, and so must have none. */
  readonly thinking?: 'none'
}

/**
 * What a provider's package sent with a call and expects back: options of the call, and the signed thinking before it.
 */
export interface ProviderNote {
  readonly options?: ProviderOptions
  readonly thinking?: readonly { readonly text: string; readonly options: ProviderOptions }[]
}

export interface PromptOptions extends Omit<WrittenOptions, 'thinking'> {
  /** Names the upstream (`noteSource`). */
  readonly source: string
  /** Marks the ends of the prefixes that the provider should cache; undefined for none. */
  readonly cacheMark: ProviderOptions | undefined
  readonly thinking: ReturnedThinking
  /** Whether calls without a signature get `anySignature`. The package gives it to models that it knows by name. */
  readonly signsCalls: boolean
  /** Whether results have their pictures; else these come from the user. */
  readonly picturesInResults: boolean
}

/** Writes a request in the form of the provider packages. */
export function writePrompt(request: ModelRequest, options: PromptOptions): ProviderCall {
  const { providerOptions, maxTokens, cacheMark } = options
  const { instructions, options: { temperature, topP } = {} } = request
  const messages = options.picturesInResults ? request.messages : movePictures(request.messages)
  const system = instructions === undefined ? [] : [{ role: 'system' as const, content: instructions }]
  const ids = writeCallIds(messages, (call) => longIdPattern.test(call.id))
  const conversation = messages.map((message, index) =>
    message.role === 'tool'
      ? writeResults(message, ids[index - 1] ?? [])
      : writeMessage(message, ids[index] ?? [], options),
  )
  for (const index of cachedEnds(messages)) Object.assign(conversation[index] ?? {}, withOptions(cacheMark))
  for (const message of system) Object.assign(message, withOptions(cacheMark))
  return {
    prompt: [...system, ...conversation],
    ...(maxTokens === null ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(request.tools.length === 0
      ? {}
      : { tools: writeTools(request, system.length === 0 ? cacheMark : undefined) }),
    ...(Object.keys(providerOptions).length === 0 ? {} : { providerOptions }),
  }
}

/**
 * The indexes of the messages at which a cached prefix ends: the last one, whose prefix the next request reads, and
 * the one before the newest turn, in case the turn has more blocks than the provider looks back.
 */
function cachedEnds(messages: readonly ModelMessage[]): readonly number[] {
  const turn = messages.findLastIndex(({ role }) => role === 'user')
  return [turn - 1, messages.length - 1].filter((index) => index >= 0)
}

/** Writes the tools. They precede the instructions, so a mark at the last tool is needed only without instructions. */
function writeTools({ tools }: ModelRequest, cacheMark: ProviderOptions | undefined): Tools {
  return tools.map(({ name, description, inputSchema }, index) => ({
    type: 'function',
    name,
    ...(description !== '' && { description }),
    inputSchema,
    ...(index === tools.length - 1 ? withOptions(cacheMark) : {}),
  }))
}

function writeResults(
  { parts }: Extract<ModelMessage, { role: 'tool' }>,
  ids: readonly string[],
): Prompt[number] {
  return {
    role: 'tool',
    content: parts.map((result, place) => ({
      type: 'tool-result',
      toolCallId: ids[place] ?? '',
      toolName: writeToolName(result.name),
      output: writeOutput(result),
    })),
  }
}

type ToolContent = Extract<Prompt[number], { role: 'tool' }>['content'][number]
type Output = Extract<ToolContent, { type: 'tool-result' }>['output']

/** What of `media` is not moved (`movePictures`) is in the result. */
function writeOutput({ text, media = [] }: ResultPart): Output {
  if (media.length === 0) return { type: 'text', value: text }
  const texts = text === '' ? [] : [{ type: 'text' as const, text }]
  return { type: 'content', value: [...texts, ...media.map(writeMedia)] }
}

function writeMedia({ name, mediaType, data }: MediaPart) {
  return {
    type: 'file' as const,
    // The packages know what to write of the name: the title of a document.
    filename: name,
    mediaType,
    data: { type: 'data' as const, data },
  }
}

function writeMessage(
  message: Exclude<ModelMessage, { role: 'tool' }>,
  ids: readonly string[],
  { source, thinking, signsCalls }: PromptOptions,
): Prompt[number] {
  const text = textOf(message)
  // Anthropic refuses an empty text beside a call.
  const texts = text === '' ? [] : [{ type: 'text' as const, text }]
  // Anthropic and Google recommend pictures and documents before the text that is about them.
  if (message.role === 'user')
    return { role: 'user', content: [...mediaOf(message).map(writeMedia), ...texts] }
  const calls = callsOf(message)
  const notes = calls.map(({ note }) =>
    thinking === 'none' ? undefined : (readNote(note, source) as ProviderNote | undefined),
  )
  const own = notes.flatMap((note) => note?.thinking ?? [])
  const blocks =
    thinking === 'every' && own.length === 0
      ? [{ text: shownThinking(message.parts), options: unsigned }]
      : own
  const thoughts = blocks.map((block) => ({
    type: 'reasoning' as const,
    text: block.text,
    ...withOptions(block.options),
  }))
  const written = calls.map((call, place) => ({
    type: 'tool-call' as const,
    toolCallId: ids[place] ?? '',
    toolName: writeToolName(call.name),
    input: parseJsonExactly(call.arguments),
    ...withOptions(notes[place]?.options ?? (place === 0 && signsCalls ? unknownSignature : undefined)),
  }))
  return { role: 'assistant', content: [...thoughts, ...texts, ...written] }
}

const unknownSignature: ProviderOptions = { google: { thoughtSignature: anySignature } }
/** The package leaves thinking without a signature out. */
const unsigned: ProviderOptions = { anthropic: { signature: '' } }

function withOptions(options: ProviderOptions | undefined): { providerOptions?: ProviderOptions } {
  return options === undefined ? {} : { providerOptions: options }
}
