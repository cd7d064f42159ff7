import { normalizeText } from '../../lib/text.ts'
import type { ModelLimits } from '../adapter.ts'
import { ModelFailure } from '../failure.ts'
import type { ModelPart } from '../model.ts'
import { createTextJoiner, maxNameChars } from '../reply-parts.ts'

type Kind = 'text' | 'reasoning'

/** Collects the parts of a reply: joins consecutive text of one kind, and limits the characters of the whole reply. */
export class PartCollector {
  #parts: ModelPart[] = []
  #pendingKind: Kind = 'text'
  #pendingText = ''
  #outputChars = 0
  #hasText = false
  #modelKnown = false
  readonly #joiners = { text: createTextJoiner(), reasoning: createTextJoiner() }
  readonly #limits: ModelLimits

  constructor(limits: ModelLimits) {
    this.#limits = limits
  }

  /** Whether the reply has text or reasoning. */
  get hasContent(): boolean {
    return this.#hasText
  }

  /**
   * Counts and normalizes received text. A half of a surrogate pair at its end is held back until the other half
   * arrives.
   */
  receive(kind: Kind, text: string): string {
    this.countChars(text.length)
    return this.#joiners[kind].push(text)
  }

  /** Returns the text that was held back and never completed. */
  endReceived(kind: Kind): string {
    return this.#joiners[kind].end()
  }

  /** Adds normalized text. */
  addText(kind: Kind, text: string): void {
    if (text === '') return
    this.#hasText = true
    if (kind !== this.#pendingKind) {
      this.#flushText()
      this.#pendingKind = kind
    }
    this.#pendingText += text
  }

  add(part: ModelPart): void {
    this.#flushText()
    this.#parts.push(part)
  }

  /** Adds the model's name once. */
  addModel(model: unknown, provider: unknown): void {
    if (this.#modelKnown || typeof model !== 'string' || model === '') return
    this.#modelKnown = true
    const named =
      typeof provider === 'string' && provider !== ''
        ? { provider: normalizeText(provider.slice(0, maxNameChars)) }
        : {}
    this.add({ type: 'model', model: normalizeText(model.slice(0, maxNameChars)), ...named })
  }

  /**
   * Counts characters of the reply, such as those of tool calls. `receive` counts the characters of text.
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
  drain(): ModelPart[] {
    this.#flushText()
    const parts = this.#parts
    if (parts.length > 0) this.#parts = []
    return parts
  }

  #flushText(): void {
    if (this.#pendingText === '') return
    this.#parts.push({ type: this.#pendingKind, text: this.#pendingText })
    this.#pendingText = ''
  }
}

/** A number of tokens, or null when it is not plausible. */
export function tokenCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < 1e12 ? value : null
}
