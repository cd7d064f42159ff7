import { normalizeText } from '../../lib/text.ts'
import type { ModelLimits } from '../adapter.ts'
import { ModelFailure } from '../failure.ts'
import type { FinishReason, ModelPart, ModelToolCall } from '../model.ts'
import { createThinkingSplitter } from '../openai/thinking.ts'
import {
  createFinish,
  truncatedCall,
  newCallId,
  readCallArguments,
  writeNote,
  createTextJoiner,
  maxNameChars,
  tokenCount,
} from '../reply-parts.ts'
import { describeSentError, findMessage, type Confidential } from '../upstream/describe-failure.ts'
import type { ProviderModel } from './formats.ts'
import type { ProviderNote } from './write-prompt.ts'

type ProviderReply = Awaited<ReturnType<ProviderModel['doStream']>>
type ProviderPart = ProviderReply['stream'] extends ReadableStream<infer Part> ? Part : never
type FinishPart = Extract<ProviderPart, { type: 'finish' }>

interface ReaderOptions {
  /** Names the upstream (`noteSource`). */
  readonly source: string
  readonly upstream: string
  readonly confidential: Confidential
  readonly limits: ModelLimits
  readonly signal: AbortSignal
  readonly onParts: (parts: readonly ModelPart[]) => void
}

/**
 * Reads the stream of a provider package and passes it on as parts.
 * @throws ModelFailure, or another error when the package has a defect
 */
export async function readParts(
  open: () => PromiseLike<ProviderReply>,
  options: ReaderOptions,
): Promise<void> {
  const { signal } = options
  const parts = new ProviderPartReader(options)
  try {
    const reader = (await open()).stream.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done || signal.aborted) break
        const received = parts.read(value)
        if (received.length > 0) options.onParts(received)
      }
    } finally {
      // Ends the request when reading stopped before the end of the stream.
      reader.cancel().catch(() => undefined)
    }
  } catch (error) {
    throw toFailure(error, options)
  }
  if (!signal.aborted) options.onParts(parts.end())
}

class ProviderPartReader {
  readonly #text = createTextJoiner()
  /** Compatible servers may have models whose thinking is in their text. */
  readonly #splitter = createThinkingSplitter({
    add: (type, text) => this.#parts.push({ type, text }),
    reclassify: () => this.#parts.push({ type: 'text_was_reasoning' }),
  })
  #parts: ModelPart[] = []
  readonly #reasoning = createTextJoiner()
  readonly #calls: (ModelToolCall & { readonly options: ProviderNote['options'] })[] = []
  /**
   * The blocks of thinking by id. Those with data of the provider, such as a signature, are sent back with the calls.
   */
  readonly #thinking = new Map<string, { text: string; options: ProviderNote['options'] }>()
  #finish: FinishPart | undefined
  #outputChars = 0
  #media: string | undefined
  readonly #options: ReaderOptions

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  read(part: ProviderPart): ModelPart[] {
    switch (part.type) {
      case 'response-metadata':
        return part.modelId === undefined
          ? []
          : [{ type: 'model', model: normalizeText(part.modelId.slice(0, maxNameChars)) }]
      case 'text-delta':
        this.#countChars(part.delta)
        this.#splitter.push(this.#text.push(part.delta))
        return this.#takeParts()
      case 'reasoning-start':
        this.#addThinking(part.id, '', part.providerMetadata)
        return []
      case 'reasoning-delta':
        this.#addThinking(part.id, part.delta, part.providerMetadata)
        this.#countChars(part.delta)
        return this.#textParts('reasoning', this.#reasoning.push(part.delta))
      case 'tool-input-delta':
        this.#countChars(part.delta)
        return []
      case 'tool-call':
        this.#addCall(part)
        return []
      case 'file':
        this.#media ??= part.mediaType.replace(/\/.*/, '')
        return []
      case 'finish':
        this.#finish = part
        return []
      case 'error':
        throw toFailure(part.error, this.#options)
      default:
        return []
    }
  }

  end(): ModelPart[] {
    const finish = this.#finish
    const { upstream } = this.#options
    if (finish?.finishReason.raw === undefined) {
      throw new ModelFailure(
        'upstream_cut',
        `${upstream} closed the connection before its reply was complete. Try again.`,
      )
    }
    if (finish.finishReason.unified === 'length' && this.#calls.some((call) => call.isBroken))
      throw truncatedCall()
    const { inputTokens, outputTokens } = finish.usage
    const reasoning = this.#textParts('reasoning', this.#reasoning.end())
    this.#splitter.push(this.#text.end())
    this.#splitter.end()
    return [
      ...reasoning,
      ...this.#takeParts(),
      ...this.#endCalls(),
      {
        type: 'usage',
        inputTokens: tokenCount(inputTokens.total),
        outputTokens: tokenCount(outputTokens.total),
        ...(inputTokens.cacheRead ? { cachedTokens: tokenCount(inputTokens.cacheRead) } : {}),
        ...(inputTokens.cacheWrite ? { cacheWriteTokens: tokenCount(inputTokens.cacheWrite) } : {}),
        ...(outputTokens.reasoning ? { reasoningTokens: tokenCount(outputTokens.reasoning) } : {}),
      },
      createFinish(
        this.#calls.length > 0 ? 'tool_calls' : toFinishReason(finish, upstream),
        finish.finishReason.raw,
        this.#media,
      ),
    ]
  }

  #takeParts(): ModelPart[] {
    const parts = this.#parts
    if (parts.length > 0) this.#parts = []
    return parts
  }

  #textParts(type: 'text' | 'reasoning', text: string): ModelPart[] {
    return text === '' ? [] : [{ type, text }]
  }

  #addCall(part: Extract<ProviderPart, { type: 'tool-call' }>): void {
    // The provider has run this call itself.
    if (part.providerExecuted === true) return
    const { upstream, limits } = this.#options
    if (this.#calls.length >= limits.maxToolCalls) {
      throw new ModelFailure(
        'output_limit',
        `${upstream} requested more than ${limits.maxToolCalls} tool calls at once. None was run.`,
      )
    }
    const id = part.toolCallId === '' ? newCallId() : normalizeText(part.toolCallId)
    const options = part.providerMetadata
    this.#calls.push({ id, name: normalizeText(part.toolName), ...readCallArguments(part.input), options })
  }

  #addThinking(id: string, text: string, options: ProviderNote['options']): void {
    const block = this.#thinking.get(id) ?? { text: '', options: undefined }
    this.#thinking.set(id, { text: block.text + text, options: options ?? block.options })
  }

  #endCalls(): ModelPart[] {
    const thinking = [...this.#thinking.values()].flatMap(({ text, options }) =>
      options === undefined ? [] : [{ text, options }],
    )
    return this.#calls.map(({ options, ...call }, index) => {
      const note: ProviderNote = {
        ...(options === undefined ? {} : { options }),
        // The thinking precedes all calls of its turn, so it belongs to the note of the first call.
        ...(index === 0 && thinking.length > 0 ? { thinking } : {}),
      }
      const isEmpty = note.options === undefined && note.thinking === undefined
      return {
        type: 'tool_call',
        ...call,
        ...(isEmpty ? {} : { note: writeNote(this.#options.source, note) }),
      }
    })
  }

  /** @throws ModelFailure when the reply is longer than allowed */
  #countChars(text: string): void {
    const { limits } = this.#options
    this.#outputChars += text.length
    if (this.#outputChars <= limits.maxOutputChars) return
    throw new ModelFailure(
      'output_limit',
      `The reply was cut after ${limits.maxOutputChars.toLocaleString('en')} characters, the limit of this server.`,
    )
  }
}

function toFinishReason({ finishReason }: FinishPart, upstream: string): FinishReason {
  switch (finishReason.unified) {
    case 'stop':
    case 'length':
    case 'other':
      return finishReason.unified
    case 'content-filter':
      return 'content_filter'
    case 'tool-calls':
      return 'tool_calls'
    // An interrupted reply has no reason of the upstream, and does not come here.
    case 'interrupted':
    case 'error':
      throw new ModelFailure(
        'upstream_error',
        `${upstream} ended its reply with an error (${String(finishReason.raw)}). Try again.`,
      )
  }
}

/** Maps the package's own errors to failures. A message of the upstream is quoted only where that is safe. */
function toFailure(error: unknown, { upstream, confidential }: ReaderOptions): Error {
  if (error instanceof ModelFailure) return error
  if (error instanceof Error && error.cause instanceof ModelFailure) return error.cause
  const name = error instanceof Error ? error.name : ''
  if (name === 'AI_APICallError' || !(error instanceof Error)) {
    const code =
      typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined
    return describeSentError({ code, message: findMessage(error) }, upstream, confidential)
  }
  if (name === 'AI_JSONParseError' || name === 'AI_TypeValidationError') {
    return new ModelFailure(
      'upstream_invalid',
      `${upstream} sent a response in an unknown format. Check the address and the API type of this bot.`,
    )
  }
  return error
}
