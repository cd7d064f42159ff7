import { isObject, type JsonObject } from '../../lib/json-object.ts'
import { ModelFailure } from '../failure.ts'
import type { FinishReason, ModelUsage } from '../model.ts'
import { readUsage, type ReplyParts, type TextKind } from '../reply-parts.ts'
import { describeSentError, findMessage } from '../upstream/describe-failure.ts'
import type { CallTarget } from '../upstream/post-model-call.ts'
import type { ReplyReader } from '../upstream/wire-format.ts'
import { addArguments, chooseArguments, completeCalls, type PartialArguments } from './assemble-tool-calls.ts'
import { argumentsOf, isError } from './json-fields.ts'

/** The reasoning that precedes a call. It is sent back with the call's result, so that the model continues it. */
export interface ResponsesNote {
  readonly reasoning: readonly JsonObject[]
}

/** An item of the output, from its first event on. */
interface OutputItem extends PartialArguments {
  type: string
  /** Whether it is complete. */
  isDone: boolean
  id: string
  name: string
  /** Reasoning to send back. */
  reasoning: JsonObject | undefined
}

/** Converts the events of a response, or a complete response, to parts. */
export class ResponseEventReader implements ReplyReader {
  readonly endsWithMarker = false
  #reason: FinishReason | undefined
  /** The server's own words for the reason. */
  #reasonDetail: string | undefined
  #usage: ModelUsage | undefined
  readonly #items: OutputItem[] = []
  /** The items by index and by id, because compatible servers may send only one of them. */
  readonly #itemsByKey = new Map<unknown, OutputItem>()
  /** Which kinds of text have arrived as deltas. Complete items only repeat text of these kinds. */
  readonly #hasDeltas = { text: false, reasoning: false }
  /** Of which kinds each section is sent whole instead of as deltas. */
  readonly #sendsWhole = { text: false, reasoning: false }
  #callCount = 0
  /** The section of reasoning that is being read; a blank line separates sections. */
  #section: string | undefined
  readonly #target: CallTarget
  readonly #parts: ReplyParts

  constructor(target: CallTarget, parts: ReplyParts) {
    this.#target = target
    this.#parts = parts
  }

  get finished(): boolean {
    return this.#reason !== undefined
  }

  read(event: unknown, name: string): void {
    if (!isObject(event)) throw this.#invalid()
    switch (event['type'] ?? name) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return this.#readText(event)
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary.delta':
      case 'response.reasoning.delta':
        return this.#readReasoning(event)
      case 'response.output_text.done':
        return this.#readWhole('text', textOf(event['text']))
      case 'response.reasoning_summary_text.done':
      case 'response.reasoning_text.done':
        return this.#readWhole('reasoning', textOf(event['text']))
      case 'response.function_call_arguments.delta':
        return this.#addArguments(this.#itemOf(event), event['delta'])
      case 'response.function_call_arguments.done':
        return this.#setArguments(this.#itemOf(event), argumentsOf(event['arguments']))
      case 'response.output_item.added':
        return this.#readItem(event, event['item'], false)
      case 'response.output_item.done':
        return this.#readItem(event, event['item'], true)
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        return this.#readModel(event['response'])
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        return this.#endResponse(event['response'], event['type'])
      case 'error':
        return this.#fail(isObject(event['error']) ? event['error'] : event)
      default:
        if (isError(event['error'])) this.#fail(event['error'])
        if (isError(event['detail'])) this.#fail(event)
        if (event['object'] === 'response') this.#endResponse(event, undefined)
    }
  }

  end(): void {
    const parts = this.#parts
    const reason = this.#reason
    if (reason === undefined) throw this.#invalid()
    parts.endText()
    const items = this.#items
    const calls = items.filter(({ type }) => type === 'function_call')
    const received = calls.map((call) => ({ ...call, arguments: chooseArguments(call) }))
    const completed = completeCalls(received, this.#target.upstream, reason === 'length')
    for (const [index, call] of completed.entries()) {
      const reasoning = reasoningBefore(items, calls[index], calls[index - 1])
      const note: ResponsesNote | object = reasoning.length === 0 ? {} : { reasoning }
      parts.addCall(call, this.#target.source, note)
    }
    if (this.#usage !== undefined) parts.add({ type: 'usage', ...this.#usage })
    const media = items.find(({ type }) => /image|audio/.test(type))?.type.replace(/_.*/, '')
    parts.addFinish(calls.length > 0 ? 'tool_calls' : reason, this.#reasonDetail, media)
  }

  #readText(event: JsonObject): void {
    const { delta } = event
    if (typeof delta !== 'string' || delta === '') return
    this.#hasDeltas.text = true
    this.#parts.addText('text', delta)
  }

  /** Reads the whole text of a section, which repeats its deltas. */
  #readWhole(kind: TextKind, text: string): void {
    if (text === '' || (this.#hasDeltas[kind] && !this.#sendsWhole[kind])) return
    this.#hasDeltas[kind] = this.#sendsWhole[kind] = true
    if (kind === 'text') this.#parts.addText('text', text)
    else this.#addReasoning(text, text)
  }

  #readReasoning(event: JsonObject): void {
    const { delta } = event
    if (typeof delta !== 'string' || delta === '') return
    this.#hasDeltas.reasoning = true
    this.#addReasoning(`${String(event['output_index'])} ${String(event['summary_index'])}`, delta)
  }

  #addReasoning(section: string, text: string): void {
    const separator = this.#section === undefined || this.#section === section ? '' : '\n\n'
    this.#section = section
    this.#parts.addText('reasoning', separator + text)
  }

  /**
   * Returns the item that an event belongs to, a new one if it is not known yet. `sent` is the item in the event. Some
   * servers send another id of the item in each event, others the same place for all items.
   */
  #itemOf({ output_index: place, item_id: id, call_id: callId }: JsonObject, sent?: JsonObject): OutputItem {
    const index = typeof place === 'string' ? Number(place) : place
    const keys = [index, id].filter((key) => key !== undefined)
    const repeated = typeof callId === 'string' ? this.#items.find((item) => item.id === callId) : undefined
    const candidates = [...keys.map((key) => this.#itemsByKey.get(key)), repeated]
    const last = keys.length === 0 && sent === undefined ? this.#items.at(-1) : undefined
    const known = candidates.find((item) => item !== undefined && mayBe(item, sent)) ?? last
    const item = known ?? {
      type: '',
      isDone: false,
      id: '',
      name: '',
      arguments: '',
      whole: '',
      reasoning: undefined,
    }
    for (const key of keys) this.#itemsByKey.set(key, item)
    if (known === undefined) {
      this.#items.push(item)
      // An item takes memory also when it is empty.
      this.#parts.countChars(100)
    }
    return item
  }

  #addArguments(item: OutputItem, text: unknown): void {
    if (typeof text !== 'string') return
    addArguments(item, text)
    this.#parts.countChars(text.length)
  }

  #setArguments(item: OutputItem, text = ''): void {
    if (text === '' || text === item.arguments) return
    this.#parts.countChars(text.length)
    item.arguments = text
  }

  /** Reads the start of an item, or the complete item. */
  #readItem(place: JsonObject, sent: unknown, isDone: boolean): void {
    if (!isObject(sent)) return
    const item = this.#itemOf({ ...place, item_id: sent['id'] }, sent)
    if (item.isDone) return
    item.isDone = isDone
    const { type } = sent
    if (typeof type === 'string') {
      if (type === 'function_call' && item.type !== type)
        this.#parts.requireCallCount(++this.#callCount, this.#target.upstream)
      item.type = type
    }
    if (type === 'function_call') this.#readCall(item, sent)
    else if (isDone && type === 'message' && !this.#hasDeltas.text)
      this.#readContents(sent['content'], 'text')
    else if (isDone && type === 'reasoning') {
      if (!this.#hasDeltas.reasoning) this.#readContents(wholeReasoning(sent), 'reasoning')
      item.reasoning = reasoningToReturn(sent)
      this.#parts.countChars(textOf(sent['encrypted_content']).length)
    }
  }

  #readCall(item: OutputItem, { call_id: callId, id, name, arguments: text }: JsonObject): void {
    item.id = textOf(callId) || textOf(id) || item.id
    item.name = textOf(name) || item.name
    this.#setArguments(item, argumentsOf(text))
  }

  #readContents(contents: unknown, kind: TextKind): void {
    if (typeof contents === 'string' && kind === 'text') this.#parts.addText('text', contents)
    if (!Array.isArray(contents)) return
    for (const [index, content] of (contents as readonly unknown[]).entries()) {
      if (!isObject(content)) continue
      const text = textOf(content['text']) || textOf(content['refusal'])
      if (text === '') continue
      if (kind === 'reasoning') this.#addReasoning(`whole ${index}`, text)
      else this.#parts.addText('text', text)
    }
  }

  #readModel(response: unknown): void {
    if (isObject(response)) this.#parts.addModel(response['model'], response['provider'])
  }

  #endResponse(sent: unknown, type: unknown): void {
    const response = isObject(sent) ? sent : {}
    this.#readModel(response)
    const { output, usage, incomplete_details: details } = response
    if (Array.isArray(output)) {
      for (const [index, item] of (output as readonly unknown[]).entries())
        this.#readItem(
          { output_index: index, call_id: isObject(item) ? item['call_id'] : undefined },
          item,
          true,
        )
    }
    if (isObject(usage)) this.#usage = toUsage(usage)
    const status = textOf(response['status']) || textOf(type).replace('response.', '')
    const error = response['error']
    if (isObject(error)) this.#fail(error)
    if (status === 'failed' || status === 'cancelled')
      this.#fail({ message: `the status of the response is “${status}”` })
    const reason = isObject(details) ? details['reason'] : undefined
    this.#reason = status === 'incomplete' ? toCutReason(reason) : 'stop'
    if (typeof reason === 'string') this.#reasonDetail = reason
  }

  #fail(error: unknown): never {
    const code = isObject(error) ? (error['code'] ?? error['type']) : undefined
    const { upstream, confidential } = this.#target
    throw describeSentError({ code, message: findMessage(error) }, upstream, confidential)
  }

  #invalid(): ModelFailure {
    return new ModelFailure(
      'upstream_invalid',
      `${this.#target.upstream} sent JSON that is not a response of the Responses API. Check the address and the API path.`,
    )
  }
}

/** Whether an event with this item can be about a known one. */
function mayBe({ type, id }: OutputItem, { type: sentType, call_id: sentId }: JsonObject = {}): boolean {
  if (type === '' || sentType === undefined) return true
  return type === sentType && (id === '' || sentId === undefined || sentId === id)
}

/** The text of a complete item of reasoning. */
function wholeReasoning({ summary, content }: JsonObject): unknown {
  return Array.isArray(summary) && summary.length > 0 ? summary : content
}

/** The reasoning between the former call and this one. */
function reasoningBefore(
  items: readonly OutputItem[],
  call: OutputItem | undefined,
  former: OutputItem | undefined,
): readonly JsonObject[] {
  const [start, end] = [former, call].map((item) => (item === undefined ? -1 : items.indexOf(item)))
  return items
    .slice((start ?? -1) + 1, end)
    .flatMap(({ reasoning }) => (reasoning === undefined ? [] : [reasoning]))
}

/**
 * Returns the reasoning to send back. Undefined when its content is missing: its id alone is not enough, because the
 * upstream does not store the response.
 */
function reasoningToReturn({
  id,
  summary,
  encrypted_content: encrypted,
  content,
}: JsonObject): JsonObject | undefined {
  const hasContent = Array.isArray(content) && content.length > 0
  if (typeof encrypted !== 'string' && !hasContent) return undefined
  return {
    type: 'reasoning',
    ...(typeof id === 'string' ? { id } : {}),
    summary: Array.isArray(summary) ? summary : [],
    ...(typeof encrypted === 'string' ? { encrypted_content: encrypted } : {}),
    ...(hasContent ? { content } : {}),
  }
}

function toCutReason(reason: unknown): FinishReason {
  if (reason === 'max_output_tokens') return 'length'
  return reason === 'content_filter' ? 'content_filter' : 'other'
}

function toUsage(usage: JsonObject): ModelUsage {
  const { input_tokens_details: input, output_tokens_details: output } = usage
  return readUsage({
    input_tokens: usage['input_tokens'],
    output_tokens: usage['output_tokens'],
    cached_tokens: isObject(input) ? input['cached_tokens'] : undefined,
    reasoning_tokens: isObject(output) ? output['reasoning_tokens'] : undefined,
  })
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
