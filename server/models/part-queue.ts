import type { ModelPart } from './model.ts'

/** Characters that may wait in a reply before it asks to be drained at once. */
const maxWaitingChars = 16 * 1024

/** The parts of one reply that were parsed and not drained yet. */
export class PartQueue {
  #parts: ModelPart[] = []
  #chars = 0

  push(parts: readonly ModelPart[]): void {
    for (const part of parts) {
      this.#parts.push(part)
      if (part.type === 'text' || part.type === 'reasoning') this.#chars += part.text.length
      else if (part.type === 'tool_call') this.#chars += part.arguments.length
    }
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
