import { normalizeText } from '../../lib/text.ts'
import { ModelFailure, RefusedOption } from '../failure.ts'
import type { FinishReason, ModelToolCall } from '../model.ts'
import { truncatedCall, newCallId, readCallArguments, readUsage, type ReplyParts } from '../reply-parts.ts'
import { describeSentError, findMessage } from '../upstream/describe-failure.ts'
import type { CallTarget } from '../upstream/post-model-call.ts'
import type { ProviderModel, ProviderNote } from './write-prompt.ts'

type ProviderReply = Awaited<ReturnType<ProviderModel['doStream']>>
type ProviderPart = ProviderReply['stream'] extends ReadableStream<infer Part> ? Part : never
type FinishPart = Extract<ProviderPart, { type: 'finish' }>

interface ReaderOptions {
  readonly target: CallTarget
  readonly parts: ReplyParts
  readonly signal: AbortSignal
  readonly onReadable: () => void
}

/**
 * Reads the stream of a provider package and passes it on as parts.
 * @throws ModelFailure, or another error when the package has a defect
 */
export async function readParts(
  open: () => PromiseLike<ProviderReply>,
  { target, parts, signal, onReadable }: ReaderOptions,
): Promise<void> {
  const reply = new ProviderPartReader(target, parts)
  try {
    const reader = (await open()).stream.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done || signal.aborted) break
        reply.read(value)
        if (!parts.isEmpty) onReadable()
      }
    } finally {
      // Ends the request when reading stopped before the end of the stream.
      reader.cancel().catch(() => undefined)
    }
  } catch (error) {
    throw toFailure(error, target)
  }
  if (!signal.aborted) reply.end()
}

class ProviderPartReader {
  readonly #calls: (ModelToolCall & { readonly options: ProviderNote['options'] })[] = []
  /**
   * The blocks of thinking by id. Those with data of the provider, such as a signature, are sent back with the calls.
   */
  readonly #thinking = new Map<string, { text: string; options: ProviderNote['options'] }>()
  #finish: FinishPart | undefined
  #media: string | undefined
  readonly #target: CallTarget
  readonly #parts: ReplyParts

  constructor(target: CallTarget, parts: ReplyParts) {
    this.#target = target
    this.#parts = parts
  }

  read(part: ProviderPart): void {
    switch (part.type) {
      case 'response-metadata':
        return this.#parts.addModel(part.modelId)
      case 'text-delta':
        return this.#parts.addText('text', part.delta)
      case 'reasoning-start':
        return this.#addThinking(part.id, '', part.providerMetadata)
      case 'reasoning-delta':
        this.#addThinking(part.id, part.delta, part.providerMetadata)
        return this.#parts.addText('reasoning', part.delta)
      case 'tool-input-delta':
        return this.#parts.countChars(part.delta.length)
      case 'tool-call':
        return this.#addCall(part)
      case 'file':
        this.#media ??= part.mediaType.replace(/\/.*/, '')
        return
      case 'finish':
        this.#finish = part
        return
      case 'error':
        throw toFailure(part.error, this.#target)
      default:
    }
  }

  end(): void {
    const parts = this.#parts
    const finish = this.#finish
    const { upstream } = this.#target
    if (finish?.finishReason.raw === undefined) {
      throw new ModelFailure(
        'upstream_cut',
        `${upstream} closed the connection before its reply was complete. Try again.`,
      )
    }
    if (finish.finishReason.unified === 'length' && this.#calls.some((call) => call.isBroken))
      throw truncatedCall()
    const reason = this.#calls.length > 0 ? 'tool_calls' : toFinishReason(finish, upstream)
    parts.endText()
    this.#endCalls()
    const { inputTokens, outputTokens } = finish.usage
    const usage = readUsage({
      input_tokens: inputTokens.total,
      output_tokens: outputTokens.total,
      // The packages write 0 for what the provider does not report.
      cached_tokens: inputTokens.cacheRead || undefined,
      cache_write_tokens: inputTokens.cacheWrite || undefined,
      reasoning_tokens: outputTokens.reasoning || undefined,
    })
    parts.add({ type: 'usage', ...usage })
    parts.addFinish(reason, finish.finishReason.raw, this.#media)
  }

  #addCall(part: Extract<ProviderPart, { type: 'tool-call' }>): void {
    // The provider has run this call itself.
    if (part.providerExecuted === true) return
    this.#parts.requireCallCount(this.#calls.length + 1, this.#target.upstream)
    const id = part.toolCallId === '' ? newCallId() : normalizeText(part.toolCallId)
    const options = part.providerMetadata
    this.#calls.push({ id, name: normalizeText(part.toolName), ...readCallArguments(part.input), options })
  }

  #addThinking(id: string, text: string, options: ProviderNote['options']): void {
    const block = this.#thinking.get(id) ?? { text: '', options: undefined }
    this.#thinking.set(id, { text: block.text + text, options: options ?? block.options })
  }

  #endCalls(): void {
    const thinking = [...this.#thinking.values()].flatMap(({ text, options }) =>
      options === undefined ? [] : [{ text, options }],
    )
    for (const [index, { options, ...call }] of this.#calls.entries()) {
      const note: ProviderNote = {
        ...(options !== undefined && { options }),
        // The thinking precedes all calls of its turn, so it belongs to the note of the first call.
        ...(index === 0 && thinking.length > 0 && { thinking }),
      }
      this.#parts.addCall(call, this.#target.source, note)
    }
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
function toFailure(error: unknown, { upstream, confidential }: CallTarget): Error {
  for (const own of [error, error instanceof Error ? error.cause : undefined])
    if (own instanceof ModelFailure || own instanceof RefusedOption) return own
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
