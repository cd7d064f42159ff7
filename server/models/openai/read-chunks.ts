import { isObject, type JsonObject } from '../../lib/json-object.ts'
import { ModelFailure } from '../failure.ts'
import type { FinishReason, ModelUsage } from '../model.ts'
import { readUsage, tokenCount, type ReplyParts } from '../reply-parts.ts'
import { describeSentError, findMessage } from '../upstream/describe-failure.ts'
import type { CallTarget } from '../upstream/post-model-call.ts'
import type { ReplyReader } from '../upstream/wire-format.ts'
import { createToolCallAssembler, type ToolCallChunk } from './assemble-tool-calls.ts'
import { argumentsOf, isError } from './json-fields.ts'
import { createTurnFieldCollector } from './turn-fields.ts'

/** Fields that some servers send with a reply or with its tool calls, and expect back. */
export interface OpenaiNote {
  /** Sent back in the assistant message. */
  readonly turn?: Readonly<Record<string, unknown>>
  /** Sent back in the call. */
  readonly call?: Readonly<Record<string, unknown>>
}

/**
 * Converts the chunks of a chat completion to parts, and tolerates the known deviations of OpenAI-compatible servers.
 */
export class ChunkReader implements ReplyReader {
  readonly endsWithMarker = true
  #choiceIndex: unknown
  #reason: FinishReason | undefined
  /** The server's own words for the reason. */
  #reasonDetail: string | undefined
  /** What the reply has besides text. */
  #media: string | undefined
  #usage: ModelUsage | undefined
  readonly #calls = createToolCallAssembler()
  readonly #turn = createTurnFieldCollector()
  readonly #target: CallTarget
  readonly #parts: ReplyParts

  constructor(target: CallTarget, parts: ReplyParts) {
    this.#target = target
    this.#parts = parts
  }

  get finished(): boolean {
    return this.#reason !== undefined
  }

  read(chunk: unknown, eventName: string): void {
    if (!isObject(chunk))
      throw new ModelFailure(
        'upstream_invalid',
        `${this.#target.upstream} sent JSON that is not a chat completion. Check the address and the API path.`,
      )
    if (isError(chunk['error'])) this.#fail(chunk['error'])
    if (chunk['object'] === 'error' || chunk['type'] === 'error' || eventName === 'error') this.#fail(chunk)
    this.#parts.addModel(chunk['model'], chunk['provider'])
    if (isObject(chunk['usage'])) this.#usage = toUsage(chunk['usage'])
    const { choices } = chunk
    if (!Array.isArray(choices)) {
      if (isBareError(chunk)) this.#fail(chunk)
      return
    }
    for (const choice of choices as readonly unknown[]) this.#readChoice(choice)
  }

  end(): void {
    const parts = this.#parts
    // Without text, reasoning, a call or a finish reason, the reply is empty, also when the end marker came.
    if (
      this.#reason === undefined &&
      this.#media === undefined &&
      !parts.hasContent &&
      this.#calls.count === 0
    ) {
      throw new ModelFailure(
        'upstream_invalid',
        `${this.#target.upstream} returned a reply without content. Try again.`,
      )
    }
    parts.endText()
    const calls = this.#calls.end(this.#target.upstream, this.#reason === 'length')
    const turn = this.#turn.end()
    for (const [index, { extra, ...call }] of calls.entries()) {
      const note: OpenaiNote = {
        ...(extra !== undefined && { call: { extra_content: extra } }),
        // The note of the first call contains the data of the whole turn.
        ...(index === 0 && turn !== undefined && { turn }),
      }
      parts.addCall(call, this.#target.source, note)
    }
    if (this.#usage !== undefined) parts.add({ type: 'usage', ...this.#usage })
    const reason = calls.length > 0 ? 'tool_calls' : (this.#reason ?? 'stop')
    parts.addFinish(reason, this.#reasonDetail, this.#media)
  }

  #fail(error: unknown): never {
    const code = isObject(error) ? (error['code'] ?? error['type'] ?? error['status']) : undefined
    const { upstream, confidential } = this.#target
    throw describeSentError({ code, message: findMessage(error) }, upstream, confidential)
  }

  #readChoice(choice: unknown): void {
    if (!isObject(choice)) return
    // A server may send several alternatives although one was requested; the first one is used.
    const index = choice['index'] ?? 0
    if (this.#choiceIndex === undefined) this.#choiceIndex = index
    else if (index !== this.#choiceIndex) return

    const reason = choice['finish_reason']
    if (isError(choice['error']) || reason === 'error') this.#fail(choice['error'] ?? choice['message'])
    const { delta, message } = choice
    if (isObject(delta)) this.#readDelta(delta)
    if (isObject(message)) this.#readWhole(message)
    if (typeof reason !== 'string' || reason === '') return
    this.#reason = toFinishReason(reason)
    const native = choice['native_finish_reason']
    this.#reasonDetail = typeof native === 'string' ? native : reason
  }

  /** Reads a whole message, which may repeat what has arrived in pieces. */
  #readWhole(message: JsonObject): void {
    const { tool_calls: calls, function_call: call, ...rest } = message
    if (!this.#parts.hasContent) this.#readDelta(rest)
    if (this.#calls.count === 0) this.#readDelta({ tool_calls: calls, function_call: call })
  }

  #readDelta(delta: JsonObject): void {
    // Few upstreams send either field, and this runs for every token.
    if (delta['reasoning_content'] !== undefined || delta['reasoning_details'] !== undefined)
      this.#turn.push(delta)
    const reasoning = reasoningOf(delta)
    if (typeof reasoning === 'string' && reasoning !== '') this.#parts.addText('reasoning', reasoning)
    const content = delta['content'] || delta['refusal']
    if (content !== undefined && content !== null && content !== '') this.#readContent(content)
    const calls = delta['tool_calls']
    if (Array.isArray(calls)) for (const call of calls as readonly unknown[]) this.#readCall(call)
    else if (isObject(calls)) this.#readCall(calls)
    // The form before `tool_calls` has one call without an id.
    else if (delta['function_call'] !== undefined) this.#readCall({ function: delta['function_call'] })
    if (delta['audio'] !== undefined || delta['images'] !== undefined)
      this.#noteMedia(delta['audio'] ? 'audio' : 'image')
  }

  #readContent(content: unknown): void {
    if (Array.isArray(content)) {
      for (const chunk of content as readonly unknown[]) this.#readContentChunk(chunk)
    } else {
      this.#parts.addText('text', textOf(content))
    }
  }

  #noteMedia(kind: string): void {
    this.#media ??= kind
  }

  /** Mistral sends thinking as a chunk of the content, with chunks of text in it. */
  #readContentChunk(chunk: unknown): void {
    const type = isObject(chunk) ? chunk['type'] : undefined
    if (typeof type === 'string' && /image|audio|video|file/.test(type))
      this.#noteMedia(type.replace(/_.*/, ''))
    if (isObject(chunk) && chunk['type'] === 'thinking')
      this.#parts.addText('reasoning', textOf(chunk['thinking']))
    else this.#parts.addText('text', textOf(chunk))
  }

  #readCall(call: unknown): void {
    if (!isObject(call)) return
    const named: unknown = call['function']
    const inner: JsonObject = isObject(named) ? named : call
    const chunk: ToolCallChunk = {
      index: indexOf(call['index']),
      id: nonEmptyText(call['id']),
      name: nonEmptyText(inner['name']),
      arguments: argumentsOf(inner['arguments']),
      extra: isObject(call['extra_content']) ? call['extra_content'] : undefined,
    }
    this.#parts.countChars(this.#calls.push(chunk))
    this.#parts.requireCallCount(this.#calls.count, this.#target.upstream)
  }
}

/** What servers call the reasoning of a chunk. Most have the first name, and send no other one beside it. */
function reasoningOf(delta: JsonObject): unknown {
  return (
    delta['reasoning_content'] ||
    delta['reasoning'] ||
    delta['reasoning_text'] ||
    delta['thinking'] ||
    (delta['reasoning_details'] && textOf(delta['reasoning_details']))
  )
}

/** Whether a chunk without choices is an error that has no field of this name. */
function isBareError({ detail, errors, error_msg: text, message, code }: JsonObject): boolean {
  return (
    isError(detail) ||
    isError(errors) ||
    isError(text) ||
    (typeof message === 'string' && isError(code) && code !== 0 && code !== 200)
  )
}

/** Reads usage as OpenAI, DeepSeek, xAI and Google write it. */
function toUsage(usage: JsonObject): ModelUsage {
  const input = tokenCount(usage['prompt_tokens'])
  const output = tokenCount(usage['completion_tokens'])
  const total = tokenCount(usage['total_tokens'])
  return readUsage({
    input_tokens: input,
    // Some servers count reasoning in the total only.
    output_tokens:
      input !== null && output !== null && total !== null ? Math.max(output, total - input) : output,
    cached_tokens:
      detailOf(usage, 'prompt_tokens_details', 'cached_tokens') ?? usage['prompt_cache_hit_tokens'],
    reasoning_tokens: detailOf(usage, 'completion_tokens_details', 'reasoning_tokens'),
  })
}

function detailOf(usage: JsonObject, field: string, name: string): unknown {
  const details = usage[field]
  return isObject(details) ? details[name] : undefined
}

function indexOf(value: unknown): number | undefined {
  const index = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof index === 'number' && Number.isInteger(index) ? index : undefined
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(textOf).join('')
  if (isObject(content)) return textOf(content['text'] ?? content['refusal'] ?? '')
  return typeof content === 'number' ? String(content) : ''
}

/** The reasons of OpenAI, and those of others that gateways pass on. */
const finishReasons: readonly (readonly [words: RegExp, reason: FinishReason])[] = [
  [/^(?:stop|eos|eos_token|end_turn|stop_sequence|complete|completed)$/i, 'stop'],
  [/^(?:length|max_tokens|max_output_tokens|max_new_tokens|model_length)$/i, 'length'],
  [/^(?:tool_calls|tool_call|tool_use|function_call)$/i, 'tool_calls'],
  [
    /^(?:content_filter|content_filtered|safety|sensitive|prohibited_content|guardrail_intervened)$/i,
    'content_filter',
  ],
]

function toFinishReason(sent: string): FinishReason {
  return finishReasons.find(([words]) => words.test(sent))?.[1] ?? 'other'
}
