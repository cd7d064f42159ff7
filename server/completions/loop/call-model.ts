import type { ErrorDetail } from '@yonder/contract/error'
import { LRUCache } from 'lru-cache'
import type { BotRow } from '../../db/tables/tables.ts'
import { onAbort, unlessAborted } from '../../lib/abort.ts'
import type { FailedPart } from '../../models/failure.ts'
import type { ModelOptions, ModelPart, ModelRequest, ModelStream, ModelToolCall } from '../../models/model.ts'
import { newCallId } from '../../models/reply-parts.ts'
import type { CallMeter } from '../../usage/call-meter.ts'
import type { RunRecorder } from '../log/run-recorder.ts'
import type { RunEnding, RunChunk } from '../run.ts'
import { explainEmptyReply } from './explain-empty-reply.ts'

/** Characters of a reply, reasoning included, after which the reply is ended. */
export const maxReplyChars = 1_000_000

/**
 * Characters of all tool calls that the model makes in one reply. They are limited, because each call is stored with
 * all calls after it.
 */
export const maxCallChars = 300_000

/** The outcome of one call of the model. */
export interface ModelCallResult {
  readonly ending: RunEnding
  /** In the model's order; empty unless the reply is complete. */
  readonly calls: readonly ModelToolCall[]
  /** The options that the model was called without, because it does not support them. */
  readonly omittedOptions: readonly (keyof ModelOptions)[]
  /** How the model's stream reported its failure, if it did. */
  readonly failure?: FailedPart
}

export interface CallModelOptions {
  readonly model: ModelStream
  readonly request: ModelRequest
  /** Aborted with an `AbortReason`. */
  readonly signal: AbortSignal
  /** Pulls the reply. */
  readonly recorder: Pick<RunRecorder, 'readFrom' | 'onReadable' | 'endReading'>
  readonly meter?: Pick<CallMeter, 'onOutput' | 'createWrite'>
}

/**
 * Calls the model once, while the recorder pulls the reply. Never rejects. On an abort or an exceeded limit, the
 * upstream request is aborted before this resolves.
 */
export async function callModel({
  model,
  request,
  signal,
  recorder,
  meter,
}: CallModelOptions): Promise<ModelCallResult> {
  const upstream = new AbortController()
  const reader = new PartReader(() => upstream.abort(), meter, request.maxTokens)
  const removeAbort = onAbort(signal, () => reader.end(abortedEnding(signal)))
  if (reader.ending === undefined) {
    const reply = model(request, {
      signal: upstream.signal,
      onReadable: (isFull) => recorder.onReadable(isFull),
    })
    recorder.readFrom({ drain: () => reader.read(reply.drain()) })
    // After an abort, this does not wait until the socket of the upstream is closed.
    await unlessAborted(reply.closed, signal, () => undefined)
    recorder.endReading()
  }
  removeAbort()
  const ending =
    reader.ending ??
    failed('upstream_cut', 'The provider ended the reply before it was complete. Regenerate it.')
  return {
    ending,
    calls: ending.status === 'complete' ? reader.calls : [],
    omittedOptions: reader.omittedOptions,
    ...(reader.failure === undefined ? {} : { failure: reader.failure }),
  }
}

/** Reads the parts of one reply: returns the chunks for the recorder, and collects the tool calls and the ending. */
class PartReader {
  ending: RunEnding | undefined
  failure: FailedPart | undefined
  readonly calls: ModelToolCall[] = []
  readonly omittedOptions: (keyof ModelOptions)[] = []
  readonly #abort: () => void
  readonly #meter: CallModelOptions['meter']
  readonly #maxTokens: number | null
  /** Whether there is text that can be seen. */
  #hasText = false
  #replyChars = 0
  #callChars = 0

  constructor(abort: () => void, meter: CallModelOptions['meter'], maxTokens: number | null) {
    this.#abort = abort
    this.#maxTokens = maxTokens
    this.#meter = meter
  }

  read(parts: readonly ModelPart[]): RunChunk[] {
    const chunks: RunChunk[] = []
    for (const part of parts) {
      // What was used counts, although the rest of an ended reply is not read.
      if (this.ending !== undefined && part.type !== 'usage') continue
      const chunk = this.#readPart(part)
      if (chunk !== undefined) chunks.push(chunk)
    }
    return chunks
  }

  end(ending: RunEnding): void {
    this.ending ??= ending
    this.#abort()
  }

  #readPart(part: ModelPart): RunChunk | undefined {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return this.#readText(part)
      case 'model':
      case 'text_was_reasoning':
        if (part.type === 'text_was_reasoning') this.#hasText = false
        return { type: 'event', event: part }
      case 'option_omitted':
        this.omittedOptions.push(part.option)
        return undefined
      case 'usage':
        return this.#readUsage(part)
      case 'tool_call': {
        const { type: _type, ...call } = part
        this.#addCall(call)
        return undefined
      }
      case 'finish':
        this.ending = this.#finish(part)
        return undefined
      case 'failed':
        this.failure = part
        this.ending = failed(part.code, part.message)
        return undefined
    }
  }

  #readUsage(part: Extract<ModelPart, { type: 'usage' }>): RunChunk {
    const { type, cache_write_tokens: _, ...usage } = part
    return {
      type: 'event',
      event: { type, usage },
      ...(this.#meter && { write: this.#meter.createWrite(part) }),
    }
  }

  #addCall(sent: ModelToolCall): void {
    this.#meter?.onOutput()
    // Some providers repeat an id, and the user decides about a later call of the step by it.
    const isRepeated = this.calls.some(({ id }) => id === sent.id)
    const call = isRepeated ? { ...sent, id: newCallId() } : sent
    // Only the arguments of the first call are stored as they are; the calls after it are stored with it as JSON.
    const stored = this.calls.push(call) === 1 ? call.arguments : JSON.stringify(call)
    this.#callChars += stored.length
    if (this.#callChars <= maxCallChars) return
    const limit = maxCallChars.toLocaleString('en')
    const message = `The tool calls of the model had more than ${limit} characters in total. None of them was run. Regenerate the reply.`
    this.end(failed('output_limit', message))
  }

  #readText(part: Extract<ModelPart, { type: 'text' | 'reasoning' }>): RunChunk | undefined {
    this.#meter?.onOutput()
    if (!this.#hasText && part.type === 'text') this.#hasText = part.text.trim() !== ''
    const remaining = maxReplyChars - this.#replyChars
    this.#replyChars += part.text.length
    if (part.text.length <= remaining) return part
    const limit = maxReplyChars.toLocaleString('en')
    const message = `The reply reached the limit of ${limit} characters, so it was ended. Send a message to continue.`
    this.end(failed('output_limit', message))
    const text = part.text.slice(0, remaining).toWellFormed()
    return text === '' ? undefined : { type: part.type, text }
  }

  #finish({ reason, ...details }: Extract<ModelPart, { type: 'finish' }>): RunEnding {
    if (this.calls.length > 0) return { status: 'complete' }
    if (!this.#hasText) {
      const reply = { reason, ...details, hasReasoning: this.#replyChars > 0, maxTokens: this.#maxTokens }
      return { status: 'failed', error: explainEmptyReply(reply) }
    }
    const isCut = reason === 'length' || reason === 'content_filter'
    return { status: 'complete', ...(isCut ? { finish: reason } : {}) }
  }
}

/** Returns the ending of a run whose signal was aborted with an `AbortReason`. */
export function abortedEnding({ reason }: AbortSignal): RunEnding {
  return { status: reason === 'stopped' ? 'stopped' : 'interrupted' }
}

export function failed(code: ErrorDetail['code'], message: string): RunEnding {
  return { status: 'failed', error: { code, message } }
}

/** Milliseconds for which a refusal of tools is remembered, and for how many bots. */
const maxRefusalAgeMs = 600_000
const maxRefusals = 1_000

/**
 * Remembers which bots' models refused tools, so that later requests omit tools at once instead of failing first.
 */
export class ToolSupportCache {
  readonly #refusals: LRUCache<string, true>

  constructor(now: () => number) {
    this.#refusals = new LRUCache({ max: maxRefusals, ttl: maxRefusalAgeMs, perf: { now } })
  }

  addRefusal(bot: BotRow): void {
    this.#refusals.set(keyOf(bot), true)
  }

  refuses(bot: BotRow): boolean {
    return this.#refusals.has(keyOf(bot))
  }
}

/** Contains the model and its address, so that after a change of either the bot gets tools again. */
function keyOf({ id, model, base_url, api_type, custom_api_path }: BotRow): string {
  return JSON.stringify([id, model, base_url, api_type, custom_api_path])
}
