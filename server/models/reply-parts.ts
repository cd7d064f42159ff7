import { hash, randomUUID } from 'node:crypto'
import type { ApiType } from '@yonder/contract/bot'
import { endOfString, isHeldByDouble } from '@yonder/contract/lib/exact-json'
import { isDeeperThan, maxArgumentsDepth } from '../lib/canonical-json.ts'
import { openSecretFilters, type SecretFilter } from '../lib/hide-secret.ts'
import { isObject, parseJson } from '../lib/json-object.ts'
import { normalizeText } from '../lib/text.ts'
import type { ModelLimits } from './adapter.ts'
import { ModelFailure } from './failure.ts'
import type { FinishReason, ModelPart, ModelToolCall, ModelUsage } from './model.ts'
import { createThinkingSplitter } from './split-thinking.ts'

/** Characters that may wait before they should be drained at once. */
const maxWaitingChars = 16 * 1024

/** The names of the model and its provider in a response are cut to this length. */
const maxNameChars = 200

export type TextKind = 'text' | 'reasoning'

/**
 * The parts of one reply that have arrived and are not drained yet: normalizes its text, separates thinking from it, joins
 * consecutive text of one kind, and limits the whole reply.
 */
export class ReplyParts {
  #parts: ModelPart[] = []
  /** Received text that is not read yet: all tokens that arrive together are read at once. */
  #received = ''
  #receivedKind: TextKind = 'text'
  #waitingChars = 0
  #outputChars = 0
  #hasContent = false
  #hasModel = false
  #joiners = { text: createTextJoiner(), reasoning: createTextJoiner() }
  #thinking = this.#createSplitter()
  readonly #limits: ModelLimits
  readonly #openFilter: (() => SecretFilter) | undefined
  #filters: { readonly text: SecretFilter; readonly reasoning: SecretFilter } | undefined

  /** `secrets` are those that the upstream receives. They are hidden in everything that it sends. */
  constructor(limits: ModelLimits, secrets: readonly (string | null)[] = []) {
    this.#limits = limits
    this.#openFilter = openSecretFilters(secrets)
    this.#filters = this.#createFilters()
  }

  /** Begins another attempt of the call, after one without content. */
  begin(): void {
    this.#outputChars = 0
    this.#joiners = { text: createTextJoiner(), reasoning: createTextJoiner() }
    this.#thinking = this.#createSplitter()
    this.#filters = this.#createFilters()
  }

  /**
   * Whether the reply has text, reasoning or a call, also when it was drained already. Then its model must not be called
   * again.
   */
  get hasContent(): boolean {
    this.#readReceived()
    return this.#hasContent
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0 && this.#received === ''
  }

  get isFull(): boolean {
    return this.#waitingChars > maxWaitingChars
  }

  /** Adds received text; that of the kind `text` may contain thinking. */
  addText(kind: TextKind, text: string): void {
    this.countChars(text.length)
    this.#waitingChars += text.length
    if (kind !== this.#receivedKind) {
      this.#readReceived()
      this.#receivedKind = kind
    }
    this.#received += text
  }

  /** Adds what was held back because it might have become something else. No text follows. */
  endText(): void {
    this.#readReceived()
    this.#addRead('reasoning', this.#joiners.reasoning.end())
    this.#thinking.push(this.#joiners.text.end())
    this.#thinking.end()
    this.#endFilters()
  }

  add(part: ModelPart): void {
    this.#readReceived()
    if (part.type === 'failed') this.#endFilters()
    if (part.type === 'tool_call') this.#hasContent = true
    this.#parts.push(this.#hideIn(part))
  }

  /** Adds the model's name once, also when the call is repeated. */
  addModel(model: unknown, provider?: unknown): void {
    if (this.#hasModel || typeof model !== 'string' || model === '') return
    this.#hasModel = true
    const named =
      typeof provider === 'string' && provider !== '' ? { provider: this.#readName(provider) } : {}
    this.add({ type: 'model', model: this.#readName(model), ...named })
  }

  /** Adds the last part of a reply. `detail` is the upstream's own word for the reason. */
  addFinish(reason: FinishReason, detail: string | undefined, media?: string): void {
    const says =
      detail !== undefined && detail !== reason && (!plainReasons.includes(reason) || reason === 'stop')
    this.add({
      type: 'finish',
      reason,
      ...(says && !ordinaryEnds.test(detail) && { detail: this.#readName(detail) }),
      ...(media !== undefined && { media }),
    })
  }

  /** Adds a call, with a note for the data that the upstream `source` expects back with it, if there is any. */
  addCall(call: ModelToolCall, source: string, data: object): void {
    const hasData = Object.keys(data).length > 0
    this.add({ type: 'tool_call', ...call, ...(hasData && { note: writeNote(source, data) }) })
  }

  /**
   * Counts characters of the reply, such as those of tool calls. `addText` counts those of text.
   * @throws ModelFailure when the reply is longer than allowed
   */
  countChars(count: number): void {
    this.#outputChars += count
    if (this.#outputChars <= this.#limits.maxOutputChars) return
    throw new ModelFailure(
      'output_limit',
      `The reply was cut after ${this.#limits.maxOutputChars.toLocaleString('en')} characters, the limit of this server.`,
    )
  }

  /** @throws ModelFailure when the reply has more calls than allowed */
  requireCallCount(count: number, upstream: string): void {
    if (count <= this.#limits.maxToolCalls) return
    throw new ModelFailure(
      'output_limit',
      `${upstream} requested more than ${this.#limits.maxToolCalls} tool calls at once. None was run.`,
    )
  }

  /** Returns the parts added since the last call; may be empty. */
  drain(): readonly ModelPart[] {
    this.#readReceived()
    const parts = this.#parts
    if (parts.length > 0) this.#parts = []
    this.#waitingChars = 0
    return parts
  }

  #createSplitter() {
    return createThinkingSplitter({
      add: (kind, text) => this.#addRead(kind, text),
      reclassify: () => {
        this.#endFilters()
        this.#parts.push({ type: 'text_was_reasoning' })
      },
    })
  }

  #createFilters() {
    return this.#openFilter && { text: this.#openFilter(), reasoning: this.#openFilter() }
  }

  /** Adds what was held back because it might have become a secret. */
  #endFilters(): void {
    if (this.#filters === undefined) return
    this.#addShown('reasoning', this.#filters.reasoning.end())
    this.#addShown('text', this.#filters.text.end())
  }

  #hideIn(part: ModelPart): ModelPart {
    if (this.#openFilter === undefined) return part
    const json = JSON.stringify(part)
    const hidden = this.#openFilter().hide(json)
    return hidden === json ? part : (JSON.parse(hidden) as ModelPart)
  }

  /** Hides secrets before a name is cut, as a part of one would not be found. */
  #readName(name: string): string {
    const hidden = this.#openFilter?.().hide(name) ?? name
    return normalizeText(hidden.slice(0, maxNameChars))
  }

  #readReceived(): void {
    if (this.#received === '') return
    const text = this.#joiners[this.#receivedKind].push(this.#received)
    this.#received = ''
    if (this.#receivedKind === 'text') this.#thinking.push(text)
    else this.#addRead('reasoning', text)
  }

  #addRead(type: TextKind, text: string): void {
    if (text === '') return
    this.#hasContent = true
    this.#addShown(type, this.#filters === undefined ? text : this.#filters[type].push(text))
  }

  #addShown(type: TextKind, text: string): void {
    if (text === '') return
    const last = this.#parts.at(-1)
    if (last?.type === type) this.#parts[this.#parts.length - 1] = { type, text: last.text + text }
    else this.#parts.push({ type, text })
  }
}

/** Reasons about which the upstream's own word says no more. */
const plainReasons: readonly FinishReason[] = ['stop', 'length', 'tool_calls']

/** What servers call the ordinary end of a reply. */
const ordinaryEnds = /^(?:stop|eos|eos_token|end_turn|complete|completed|stop_sequence|tool_use|tool_calls)$/i

/** Creates a joiner, which normalizes text that arrives in chunks and joins a surrogate pair that an upstream split. */
export function createTextJoiner() {
  let held = ''
  return {
    /** Returns the text that can be shown now; may be empty. */
    push(chunk: string): string {
      const text = held === '' ? chunk : held + chunk
      held = ''
      const last = text.charCodeAt(text.length - 1)
      if (!(last >= 0xd800 && last <= 0xdbff)) return normalizeText(text)
      held = text.slice(-1)
      return normalizeText(text.slice(0, -1))
    },
    /** Returns the text that was held back and never completed. */
    end(): string {
      const rest = normalizeText(held)
      held = ''
      return rest
    },
  }
}

/**
 * Data that an upstream expects back with a tool call, such as a signature and the thinking that it signs. It is stored
 * with the call and sent back only to where it came from (`noteSource`).
 */
interface CallNote {
  readonly from: string
  readonly data: unknown
}

/** What a note belongs to: signed data is refused by other models, at other addresses and by other accounts. */
interface NoteOrigin {
  readonly apiType: ApiType
  readonly url: URL
  readonly model: string
  readonly key: string | null
}

/** Names where a note comes from, without a trace of the key. */
export function noteSource({ apiType, url, model, key }: NoteOrigin): string {
  const origin = JSON.stringify([apiType, url.origin, url.pathname, model, key])
  return hash('sha256', origin, 'base64url').slice(0, 22)
}

/** Makes a note of this source (`noteSource`). The data must be JSON. */
export function writeNote(from: string, data: unknown): CallNote {
  return { from, data }
}

/** The data of this source's note; undefined for another source's note. */
export function readNote(note: unknown, from: string): unknown {
  // Every stored note was made by `writeNote`.
  const written = note as CallNote | undefined
  return written?.from === from ? written.data : undefined
}

/** A new id for a call that came without one. */
export function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`
}

/** The failure of a reply that was cut by its length limit within a tool call. */
export function truncatedCall(): ModelFailure {
  return new ModelFailure(
    'output_limit',
    'The reply reached its length limit within a tool call, so the tool was not run. Raise the limit of this bot, or ask for a shorter reply.',
  )
}

/** The arguments of a call as every database can store them, with a mark when they are not a JSON object. */
export function readCallArguments(text: string): Pick<ModelToolCall, 'arguments' | 'isBroken'> {
  const valid = readArguments(text)
  return valid === undefined ? { arguments: normalizeText(text), isBroken: true } : { arguments: valid }
}

/**
 * The arguments as JSON that every database can store, with every digit and every key; `{}` for an empty text or null, `undefined` when they are not a
 * JSON object, or nested too deeply. Some servers encode the object twice.
 */
export function readArguments(text: string): string | undefined {
  if (text.trim() === '') return '{}'
  const value = parseJson(text)
  if (value === null) return '{}'
  if (typeof value === 'string') return value.trimStart().startsWith('{') ? readArguments(value) : undefined
  if (!isObject(value) || isDeeperThan(value, maxArgumentsDepth)) return undefined
  return normalizeJsonText(text)
}

/** What may be a number that `JSON.stringify` writes in another form, such as 1.0 and 1E5, also within a string. */
const otherForm = /\d(?:\.\d|[eE])|\d{16}/
const unstorableEscape = /\\u(?:0000|[dD][89a-fA-F])/
const escapes = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\[\s\S]/g

/**
 * Normalizes the strings and keys of JSON, and writes the numbers that a double holds in the form in which they are sent,
 * so that the user sees what the tool gets. Everything else stays as it was written: it is not parsed and written again.
 */
function normalizeJsonText(text: string): string {
  const written = otherForm.test(text) ? writeNumbers(text) : text
  if (!unstorableEscape.test(written)) return normalizeText(written)
  return normalizeText(
    written.replaceAll(escapes, (escape) =>
      /^\\u(?:0000|[dD][89a-fA-F]..)$/.test(escape) ? '\uFFFD' : escape,
    ),
  )
}

function writeNumbers(json: string): string {
  let written = ''
  for (let at = 0; at < json.length;) {
    const start = json.indexOf('"', at)
    const outside = json.slice(at, start === -1 ? undefined : start)
    written += outside.replaceAll(/-?\d[\d.eE+-]*/g, (number) =>
      isHeldByDouble(number) ? JSON.stringify(Number(number)) : number,
    )
    at = start === -1 ? json.length : endOfString(json, start) + 1
    if (start !== -1) written += json.slice(start, at)
  }
  return written
}

/**
 * Tokens of one call. No model has a window of this size, so a larger figure is an error of the provider. The limit also
 * keeps every sum an exact number.
 */
const maxTokens = 100_000_000

/** A number of tokens, or null when it is not credible. */
export function tokenCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxTokens
    ? value
    : null
}

/** What an upstream has counted. A part is never larger than its whole, and absent when it was not sent. */
export function readUsage(sent: { readonly [Name in keyof ModelUsage]: unknown }): ModelUsage {
  const input_tokens = tokenCount(sent.input_tokens)
  const output_tokens = tokenCount(sent.output_tokens)
  const readPart = (name: keyof ModelUsage, whole: number | null) => {
    if (typeof sent[name] !== 'number') return {}
    const part = tokenCount(sent[name])
    return { [name]: part === null || whole === null ? part : Math.min(part, whole) }
  }
  return {
    input_tokens,
    output_tokens,
    ...readPart('cached_tokens', input_tokens),
    ...readPart('cache_write_tokens', input_tokens),
    ...readPart('reasoning_tokens', output_tokens),
  }
}
