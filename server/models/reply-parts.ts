import type { ModelPart } from './model.ts'
import { normalizeText } from '../lib/text.ts'

/** Characters that may wait in a reply before it asks to be drained at once. */
const maxWaitingChars = 16 * 1024

/** The parts of one reply that are parsed but not drained yet. */
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

export interface TextJoiner {
  /** Returns the text that can be shown now; may be empty. */
  push(chunk: string): string
  /** Returns the text that was held back and never completed. */
  end(): string
}

/** Normalises text that arrives in chunks, and joins a surrogate pair that an upstream split. */
export function joinText(): TextJoiner {
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
