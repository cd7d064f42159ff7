import { assembleToolCalls } from './assemble-tool-calls.ts'
import type { ToolCallChunk } from './assemble-tool-calls.ts'
import { noteSource, writeNote, joinText } from '../reply-parts.ts'
import { describeSentError, findMessage } from '../upstream/describe-failure.ts'
import { normalizeText } from '../../lib/text.ts'
import { collectTurnFields, splitThinking } from './thinking.ts'
import { ModelFailure } from '../failure.ts'
import type { ModelLimits } from '../adapter.ts'
import type { FinishReason, ModelPart } from '../model.ts'
import type { ModelCall } from '../upstream/post-model-call.ts'
import type { Confidential } from '../upstream/describe-failure.ts'

type Fields = Readonly<Record<string, unknown>>

/** Fields that some servers send with a tool call and expect back. */
export interface OpenaiNote {
  /** Sent back in the assistant message. */
  readonly turn?: Readonly<Record<string, unknown>>
  /** Sent back in the call. */
  readonly call?: Readonly<Record<string, unknown>>
}

type ReadCall = Pick<ModelCall, 'upstream' | 'confidential' | 'url'>

/** Converts the chunks of a chat completion to parts, and tolerates the known deviations of OpenAI-compatible servers. */
export class ChunkReader {
  private parts: ModelPart[] = []
  private openKind: 'text' | 'reasoning' = 'text'
  private openText = ''
  private modelKnown = false
  private choiceIndex: unknown
  private reason: FinishReason | undefined
  private outputChars = 0
  private hasContent = false
  private usage: Extract<ModelPart, { type: 'usage' }> | undefined
  private readonly text = joinText()
  private readonly reasoning = joinText()
  private readonly thinking = splitThinking()
  private readonly calls = assembleToolCalls()
  private readonly emit = (kind: 'text' | 'reasoning', text: string) => this.addText(kind, text)
  private readonly turn = collectTurnFields()
  private readonly upstream: string
  private readonly confidential: Confidential
  private readonly url: URL
  private readonly limits: ModelLimits

  constructor({ upstream, confidential, url }: ReadCall, limits: ModelLimits) {
    this.upstream = upstream
    this.confidential = confidential
    this.url = url
    this.limits = limits
  }

  /** True once a chunk had a finish reason. */
  get finished(): boolean {
    return this.reason !== undefined
  }

  /**
   * Reads one chunk of a stream, which was sent in an event of this name, or a complete response.
   * @throws ModelFailure
   */
  read(chunk: unknown, eventName = 'message'): void {
    if (!isObject(chunk))
      throw new ModelFailure(
        'upstream_invalid',
        `${this.upstream} sent JSON that is not a chat completion. Check the address and the API path.`,
      )
    if (isError(chunk['error'])) this.fail(chunk['error'])
    if (chunk['object'] === 'error' || chunk['type'] === 'error' || eventName === 'error') this.fail(chunk)
    if (!this.modelKnown) this.readModel(chunk)
    if (chunk['usage'] !== undefined && chunk['usage'] !== null) this.readUsage(chunk['usage'])
    const { choices } = chunk
    if (!Array.isArray(choices)) return
    for (const choice of choices as readonly unknown[]) this.readChoice(choice)
  }

  /** Returns the parts of the chunks read since the last call; may be empty. */
  drain(): ModelPart[] {
    this.closeText()
    const { parts } = this
    if (parts.length > 0) this.parts = []
    return parts
  }

  /** Ends the reply: `drain` then also returns tool calls, usage and `finish`. */
  end(): void {
    if (this.reason === undefined && !this.hasContent) {
      throw new ModelFailure(
        'upstream_invalid',
        `${this.upstream} returned a reply without content. Try again.`,
      )
    }
    this.addText('reasoning', this.reasoning.end())
    this.thinking.push(this.text.end(), this.emit)
    this.thinking.end(this.emit)
    this.closeText()
    const calls = this.calls.end(this.upstream, this.reason === 'length')
    const turn = this.turn.end()
    for (const [index, { extra, ...call }] of calls.entries()) {
      const own = extra === undefined ? {} : { call: { extra_content: extra } }
      // The note of the first call contains the data of the whole turn.
      const note: OpenaiNote = { ...own, ...(index === 0 && turn !== undefined ? { turn } : {}) }
      const isEmpty = note.call === undefined && note.turn === undefined
      this.parts.push({
        type: 'tool_call',
        ...call,
        ...(isEmpty ? {} : { note: writeNote(noteSource('openai', this.url), note) }),
      })
    }
    if (this.usage !== undefined) this.parts.push(this.usage)
    this.parts.push({ type: 'finish', reason: calls.length > 0 ? 'tool_calls' : (this.reason ?? 'stop') })
  }

  private fail(error: unknown): never {
    const code = isObject(error) ? (error['code'] ?? error['type'] ?? error['status']) : undefined
    throw describeSentError({ code, message: findMessage(error, 0) }, this.upstream, this.confidential)
  }

  private readModel(chunk: Fields): void {
    const { model, provider } = chunk
    if (typeof model !== 'string' || model === '') return
    this.modelKnown = true
    const named =
      typeof provider === 'string' && provider !== ''
        ? { provider: normalizeText(provider.slice(0, 200)) }
        : {}
    this.parts.push({ type: 'model', model: normalizeText(model.slice(0, 200)), ...named })
  }

  private readUsage(usage: unknown): void {
    if (!isObject(usage)) return
    this.usage = {
      type: 'usage',
      inputTokens: tokenCount(usage['prompt_tokens']),
      outputTokens: tokenCount(usage['completion_tokens']),
    }
  }

  private readChoice(choice: unknown): void {
    if (!isObject(choice)) return
    // A server may send several alternatives although one was requested; the first one is used.
    const index = choice['index'] ?? 0
    if (this.choiceIndex === undefined) this.choiceIndex = index
    else if (index !== this.choiceIndex) return

    const delta = choice['delta'] ?? choice['message']
    if (isObject(delta)) this.readDelta(delta)
    const reason = choice['finish_reason']
    if (reason === 'error') this.fail(choice['error'] ?? choice['message'])
    if (typeof reason === 'string' && reason !== '') this.reason = toFinishReason(reason)
  }

  private readDelta(delta: Fields): void {
    // Few upstreams send either field, and this runs for every token.
    if (delta['reasoning_content'] !== undefined || delta['reasoning_details'] !== undefined)
      this.turn.push(delta)
    const reasoning = delta['reasoning_content'] ?? delta['reasoning']
    if (typeof reasoning === 'string' && reasoning !== '')
      this.addText('reasoning', this.reasoning.push(this.count(reasoning)))
    const content = delta['content'] ?? delta['refusal']
    if (content !== undefined && content !== null && content !== '') {
      this.thinking.push(this.text.push(this.count(textOf(content))), this.emit)
    }
    const calls = delta['tool_calls']
    if (Array.isArray(calls)) for (const call of calls as readonly unknown[]) this.readCall(call)
  }

  private readCall(call: unknown): void {
    if (!isObject(call)) return
    const named: unknown = call['function']
    const inner: Fields = isObject(named) ? named : {}
    const chunk: ToolCallChunk = {
      index: typeof call['index'] === 'number' ? call['index'] : undefined,
      id: nonEmptyText(call['id']),
      name: nonEmptyText(inner['name']),
      arguments: argumentsOf(inner['arguments']),
      extra: isObject(call['extra_content']) ? call['extra_content'] : undefined,
    }
    this.hasContent = true
    this.addChars(this.calls.push(chunk))
    if (this.calls.count > this.limits.maxToolCalls) {
      throw new ModelFailure(
        'output_limit',
        `${this.upstream} requested more than ${this.limits.maxToolCalls} tool calls at once. None was run.`,
      )
    }
  }

  private count(text: string): string {
    this.addChars(text.length)
    return text
  }

  private addChars(count: number): void {
    this.outputChars += count
    if (this.outputChars <= this.limits.maxOutputChars) return
    throw new ModelFailure(
      'output_limit',
      `The reply was cut after ${this.limits.maxOutputChars.toLocaleString('en')} characters, the limit of this server.`,
    )
  }

  /** Joins consecutive text of one kind into one part. */
  private addText(kind: 'text' | 'reasoning', text: string): void {
    if (text === '') return
    this.hasContent = true
    if (kind !== this.openKind) {
      this.closeText()
      this.openKind = kind
    }
    this.openText += text
  }

  private closeText(): void {
    if (this.openText === '') return
    this.parts.push({ type: this.openKind, text: this.openText })
    this.openText = ''
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isError(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== ''
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Some servers send the arguments as an object rather than as text. */
function argumentsOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content))
    return content
      .map((part: unknown) => (isObject(part) ? textOf(part['text'] ?? '') : textOf(part)))
      .join('')
  return typeof content === 'number' ? String(content) : ''
}

function tokenCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < 1e12 ? value : null
}

function toFinishReason(reason: string): FinishReason {
  switch (reason) {
    case 'stop':
    case 'eos':
    case 'end_turn':
      return 'stop'
    case 'length':
    case 'max_tokens':
      return 'length'
    case 'tool_calls':
    case 'function_call':
      return 'tool_calls'
    case 'content_filter':
      return 'content_filter'
    default:
      return 'other'
  }
}
