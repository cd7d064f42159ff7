import { normalizeText } from '../lib/normalize-text.ts'

export interface TextJoiner {
  /** The part of the piece that can be shown now; may be empty. */
  push(piece: string): string
  /** What was held back and never completed. */
  end(): string
}

/** Normalises text that comes in pieces; a surrogate pair cut in two by an upstream is put together again. */
export function joinText(): TextJoiner {
  let held = ''
  return {
    push(piece) {
      const text = held === '' ? piece : held + piece
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
