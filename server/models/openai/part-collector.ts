import { normalizeText } from '../../lib/text.ts'
import type { ModelLimits } from '../adapter.ts'
import { ModelFailure } from '../failure.ts'
import type { ModelPart } from '../model.ts'
import { createTextJoiner, maxNameChars } from '../reply-parts.ts'
import { createThinkingSplitter } from './thinking.ts'

type Kind = 'text' | 'reasoning'

/**
 * Collects the parts of a reply: normalizes its text, separates thinking from it, joins consecutive text of one kind,
 * and limits the characters of the whole reply.
 */
export class PartCollector {
  #parts: ModelPart[] = []
  /** Received text that is not read yet: all tokens that arrive together are read at once. */
  #received = ''
  #receivedKind: Kind = 'text'
  #outputChars = 0
  #hasText = false
  #modelKnown = false
  readonly #joiners = { text: createTextJoiner(), reasoning: createTextJoiner() }
  readonly #thinking = createThinkingSplitter({
    add: (kind, text) => this.#addText(kind, text),
    reclassify: () => this.#parts.push({ type: 'text_was_reasoning' }),
  })
  readonly #limits: ModelLimits

  constructor(limits: ModelLimits) {
    this.#limits = limits
  }

  /** Whether the reply has text or reasoning. */
  get hasContent(): boolean {
    this.#readReceived()
    return this.#hasText
  }

  /** Adds received text. */
  addText(kind: Kind, text: string): void {
    this.countChars(text.length)
    if (kind !== this.#receivedKind) {
      this.#readReceived()
      this.#receivedKind = kind
    }
    this.#received += text
  }

  /** Adds what was held back because it might have become something else. No text follows. */
  endText(): void {
    this.#readReceived()
    this.#addText('reasoning', this.#joiners.reasoning.end())
    this.#thinking.push(this.#joiners.text.end())
    this.#thinking.end()
  }

  add(part: ModelPart): void {
    this.#readReceived()
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
  drain(): ModelPart[] {
    this.#readReceived()
    const parts = this.#parts
    if (parts.length > 0) this.#parts = []
    return parts
  }

  #readReceived(): void {
    if (this.#received === '') return
    const text = this.#joiners[this.#receivedKind].push(this.#received)
    this.#received = ''
    if (this.#receivedKind === 'text') this.#thinking.push(text)
    else this.#addText('reasoning', text)
  }

  #addText(type: Kind, text: string): void {
    if (text === '') return
    this.#hasText = true
    const last = this.#parts.at(-1)
    if (last?.type === type) this.#parts[this.#parts.length - 1] = { type, text: last.text + text }
    else this.#parts.push({ type, text })
  }
}
