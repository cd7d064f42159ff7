const unsafe = /[\0\uD800-\uDFFF]/
const unsafeCharacters = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** Text that every store takes: NUL is dropped, a lone surrogate becomes U+FFFD. */
export function cleanText(text: string): string {
  if (!unsafe.test(text)) return text
  return text.replace(unsafeCharacters, (character) => (character === '\0' ? '' : '\uFFFD'))
}

export interface TextJoiner {
  /** The part of the piece that can be shown now; may be empty. */
  push(piece: string): string
  /** What was held back and never completed. */
  end(): string
}

/** Cleans text that comes in pieces; a surrogate pair cut in two by an upstream is put together again. */
export function joinText(): TextJoiner {
  let held = ''
  return {
    push(piece) {
      const text = held === '' ? piece : held + piece
      held = ''
      if (!unsafe.test(text)) return text
      const last = text.charCodeAt(text.length - 1)
      if (last < 0xd800 || last > 0xdbff) return cleanText(text)
      held = text.slice(-1)
      return cleanText(text.slice(0, -1))
    },
    end() {
      const rest = cleanText(held)
      held = ''
      return rest
    },
  }
}
