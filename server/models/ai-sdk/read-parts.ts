import { normalizeText } from '../../lib/normalize-text.ts'
import type { ProviderModel } from './call-provider.ts'
import { newCallId, readArguments } from '../openai/assemble-tool-calls.ts'
import { writeNote } from '../call-note.ts'
import { describeSentError } from '../upstream/describe-failure.ts'
import { joinText } from '../reply-parts.ts'
import { ModelFailure } from '../failure.ts'
import type { ModelLimits } from '../adapter.ts'
import type { FinishReason, ModelPart, ModelToolCall } from '../model.ts'
import { findMessage } from '../upstream/quote-upstream.ts'
import type { QuoteGuard } from '../upstream/quote-upstream.ts'
import type { ProviderNote } from './write-prompt.ts'

type Answer = Awaited<ReturnType<ProviderModel['doStream']>>
type ProviderPart = Answer['stream'] extends ReadableStream<infer Part> ? Part : never
type FinishPart = Extract<ProviderPart, { type: 'finish' }>

interface ReadingOptions {
  /** Whom it comes from (`noteSource`). */
  readonly source: string
  readonly upstream: string
  readonly guard: QuoteGuard
  readonly limits: ModelLimits
  readonly signal: AbortSignal
  readonly onParts: (parts: readonly ModelPart[]) => void
}

/** Reads what a provider package makes of an answer and hands it on as parts; throws a `ModelFailure`. */
export async function readProviderParts(
  open: () => PromiseLike<Answer>,
  reading: ReadingOptions,
): Promise<void> {
  const { signal } = reading
  const parts = new ProviderPartReader(reading)
  try {
    const reader = (await open()).stream.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done || signal.aborted) break
        const read = parts.read(value)
        if (read.length > 0) reading.onParts(read)
      }
    } finally {
      // Ends the request when something in its answer ended the reading.
      reader.cancel().catch(() => undefined)
    }
  } catch (error) {
    throw toFailure(error, reading)
  }
  if (!signal.aborted) reading.onParts(parts.end())
}

class ProviderPartReader {
  private readonly text = joinText()
  private readonly reasoning = joinText()
  private readonly calls: (ModelToolCall & { readonly options: ProviderNote['options'] })[] = []
  /** Thinking that the provider has signed, by its block. */
  private readonly thinking = new Map<string, { text: string; options: ProviderNote['options'] }>()
  private finish: FinishPart | undefined
  private outputChars = 0
  private readonly reading: ReadingOptions

  constructor(reading: ReadingOptions) {
    this.reading = reading
  }

  read(part: ProviderPart): ModelPart[] {
    switch (part.type) {
      case 'response-metadata':
        return part.modelId === undefined
          ? []
          : [{ type: 'model', model: normalizeText(part.modelId.slice(0, 200)) }]
      case 'text-delta':
        return this.piece('text', this.text.push(this.count(part.delta)))
      case 'reasoning-start':
        this.keepThinking(part.id, '', part.providerMetadata)
        return []
      case 'reasoning-delta':
        this.keepThinking(part.id, part.delta, part.providerMetadata)
        return this.piece('reasoning', this.reasoning.push(this.count(part.delta)))
      case 'tool-input-delta':
        this.count(part.delta)
        return []
      case 'tool-call':
        this.addCall(part)
        return []
      case 'finish':
        this.finish = part
        return []
      case 'error':
        throw toFailure(part.error, this.reading)
      default:
        return []
    }
  }

  end(): ModelPart[] {
    const { finish } = this
    const { upstream } = this.reading
    if (finish?.finishReason.raw === undefined) {
      throw new ModelFailure('upstream_cut', `${upstream} broke off in the middle of its answer.`)
    }
    const { inputTokens, outputTokens } = finish.usage
    return [
      ...this.piece('reasoning', this.reasoning.end()),
      ...this.piece('text', this.text.end()),
      ...this.endCalls(),
      {
        type: 'usage',
        inputTokens: tokenCount(inputTokens.total),
        outputTokens: tokenCount(outputTokens.total),
      },
      { type: 'finish', reason: this.calls.length > 0 ? 'tool_calls' : toFinishReason(finish, upstream) },
    ]
  }

  private piece(type: 'text' | 'reasoning', text: string): ModelPart[] {
    return text === '' ? [] : [{ type, text }]
  }

  private addCall(part: Extract<ProviderPart, { type: 'tool-call' }>): void {
    // What the provider ran itself is not ours to run.
    if (part.providerExecuted === true) return
    const { upstream, limits } = this.reading
    const text = readArguments(part.input)
    if (text === undefined) {
      throw new ModelFailure(
        'upstream_invalid',
        `${upstream} sent a broken tool call, so the tool was not run.`,
      )
    }
    if (this.calls.length >= limits.toolCalls) {
      throw new ModelFailure(
        'output_limit',
        `${upstream} asked for more than ${limits.toolCalls} tool calls at once; none was run.`,
      )
    }
    const id = part.toolCallId === '' ? newCallId() : normalizeText(part.toolCallId)
    const options = part.providerMetadata
    this.calls.push({ id, name: normalizeText(part.toolName), arguments: text, options })
  }

  private keepThinking(id: string, text: string, options: ProviderNote['options']): void {
    const block = this.thinking.get(id) ?? { text: '', options: undefined }
    this.thinking.set(id, { text: block.text + text, options: options ?? block.options })
  }

  private endCalls(): ModelPart[] {
    const thinking = [...this.thinking.values()].flatMap(({ text, options }) =>
      options === undefined ? [] : [{ text, options }],
    )
    return this.calls.map(({ options, ...call }, index) => {
      const note: ProviderNote = {
        ...(options === undefined ? {} : { options }),
        // It stands before all calls of its turn: one of them carries it.
        ...(index === 0 && thinking.length > 0 ? { thinking } : {}),
      }
      const isEmpty = note.options === undefined && note.thinking === undefined
      return {
        type: 'tool_call',
        ...call,
        ...(isEmpty ? {} : { note: writeNote(this.reading.source, note) }),
      }
    })
  }

  private count(text: string): string {
    const { limits } = this.reading
    this.outputChars += text.length
    if (this.outputChars <= limits.outputChars) return text
    throw new ModelFailure(
      'output_limit',
      `The answer was ended after ${limits.outputChars.toLocaleString('en')} characters.`,
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
    case 'error':
      throw new ModelFailure(
        'upstream_error',
        `${upstream} ended its answer with an error (${String(finishReason.raw)}).`,
      )
  }
}

function tokenCount(count: number | undefined): number | null {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 && count < 1e12 ? count : null
}

/** The package's own errors say what it could not read; whatever an upstream sent is quoted with care. */
function toFailure(error: unknown, { upstream, guard }: ReadingOptions): Error {
  if (error instanceof ModelFailure) return error
  if (error instanceof Error && error.cause instanceof ModelFailure) return error.cause
  const name = error instanceof Error ? error.name : ''
  if (name === 'AI_APICallError' || !(error instanceof Error)) {
    const code =
      typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined
    return describeSentError({ code, message: findMessage(error, 0) }, upstream, guard)
  }
  if (name === 'AI_JSONParseError' || name === 'AI_TypeValidationError') {
    return new ModelFailure(
      'upstream_invalid',
      `${upstream} sent something that is not an answer in its own format.`,
    )
  }
  return error
}
