import { hash, randomUUID } from 'node:crypto'
import type { ApiType } from '@yonder/contract/bot'
import { isDeeperThan, maxArgumentsDepth } from '../lib/canonical-json.ts'
import { normalizeText } from '../lib/text.ts'
import { ModelFailure } from './failure.ts'
import type { FinishReason, ModelPart, ModelToolCall } from './model.ts'

/** Characters that may wait in a queue before it should be drained at once. */
const maxWaitingChars = 16 * 1024

/** The names of the model and its provider in a response are cut to this length. */
export const maxNameChars = 200

/** The parts of one reply that are parsed but not drained yet. */
export class PartQueue {
  #parts: ModelPart[] = []
  #chars = 0
  #hasContent = false
  #hasModel = false

  /** A second `model` part, for example from a repeated call, is ignored. */
  push(parts: readonly ModelPart[]): void {
    for (const part of parts) {
      if (part.type === 'model') {
        if (this.#hasModel) continue
        this.#hasModel = true
      }
      this.#parts.push(part)
      if (part.type === 'text' || part.type === 'reasoning') this.#chars += part.text.length
      else if (part.type === 'tool_call') this.#chars += part.arguments.length
    }
    if (this.#chars > 0) this.#hasContent = true
  }

  /**
   * Whether the reply has text, reasoning or a tool call, also when it was drained already. Then its model must not be
   * called again.
   */
  get hasContent(): boolean {
    return this.#hasContent
  }

  get isFull(): boolean {
    return this.#chars > maxWaitingChars
  }

  drain(): readonly ModelPart[] {
    const parts = this.#parts
    if (parts.length === 0) return parts
    this.#parts = []
    this.#chars = 0
    return parts
  }
}

/** Reasons about which the upstream's own word says no more. */
const plainReasons: readonly FinishReason[] = ['stop', 'length', 'tool_calls']

/** Creates the last part of a reply. `detail` is the upstream's own word for the reason. */
export function createFinish(
  reason: FinishReason,
  detail: string | undefined,
  media?: string,
): Extract<ModelPart, { type: 'finish' }> {
  const says =
    detail !== undefined && detail !== reason && (!plainReasons.includes(reason) || reason === 'stop')
  return {
    type: 'finish',
    reason,
    ...(says && !ordinaryEnds.test(detail) && { detail: normalizeText(detail.slice(0, maxNameChars)) }),
    ...(media !== undefined && { media }),
  }
}

/** What servers call the ordinary end of a reply. */
const ordinaryEnds = /^(?:stop|eos|eos_token|end_turn|complete|completed|stop_sequence|tool_use|tool_calls)$/i

/** A number of tokens, or null when it is not plausible. */
export function tokenCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < 1e12 ? value : null
}

export interface TextJoiner {
  /** Returns the text that can be shown now; may be empty. */
  push(chunk: string): string
  /** Returns the text that was held back and never completed. */
  end(): string
}

/** Creates a joiner, which normalizes text that arrives in chunks and joins a surrogate pair that an upstream split. */
export function createTextJoiner(): TextJoiner {
  let held = ''
  return {
    push(chunk) {
      const text = held === '' ? chunk : held + chunk
      held = ''
      const last = text.charCodeAt(text.length - 1)
      if (!(last >= 0xd800 && last <= 0xdbff)) return normalizeText(text)
      held = text.slice(-1)
      return normalizeText(text.slice(0, -1))
    },
    end() {
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
 * The arguments as JSON that every database can store; `{}` for an empty text or null, `undefined` when they are not a
 * JSON object, or nested too deeply. Some servers encode the object twice.
 */
export function readArguments(text: string): string | undefined {
  if (text.trim() === '') return '{}'
  try {
    const value: unknown = JSON.parse(text)
    if (value === null) return '{}'
    if (typeof value === 'string') return value.trimStart().startsWith('{') ? readArguments(value) : undefined
    if (typeof value !== 'object' || Array.isArray(value) || isDeeperThan(value, maxArgumentsDepth))
      return undefined
    return needsNormalizing.test(text) ? JSON.stringify(normalizeJson(value)) : text
  } catch {
    return undefined
  }
}

const needsNormalizing = /[\0\uD800-\uDFFF]|\\u(?:0000|[dD][89a-fA-F])/

function normalizeJson(value: unknown): unknown {
  if (typeof value === 'string') return normalizeText(value)
  if (Array.isArray(value)) return value.map(normalizeJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [normalizeText(key), normalizeJson(inner)]),
  )
}
