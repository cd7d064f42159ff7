const opening = '<think>'
const closing = '</think>'

export interface ThinkingSplitter {
  push(text: string, emit: (kind: 'text' | 'reasoning', text: string) => void): void
  /** Gives what was held back because it might have been the start of a tag. */
  end(emit: (kind: 'text' | 'reasoning', text: string) => void): void
}

/**
 * Takes thinking that a model writes as `<think>…</think>` at the very start of its answer out of the text. A tag
 * anywhere else is ordinary text. Tags may be cut anywhere between two pieces.
 */
export function splitThinking(): ThinkingSplitter {
  let state: 'start' | 'thinking' | 'gap' | 'text' = 'start'
  let held = ''

  return {
    push(text, emit) {
      if (state === 'text') {
        emit('text', text)
        return
      }
      held += text
      if (state === 'start') {
        const begin = held.trimStart()
        if (begin.length < opening.length && opening.startsWith(begin)) return
        state = begin.startsWith(opening) ? 'thinking' : 'text'
        if (state === 'thinking') held = begin.slice(opening.length)
      }
      if (state === 'thinking') {
        const end = held.indexOf(closing)
        const ready = end < 0 ? held.length - openTail(held) : end
        if (ready > 0) emit('reasoning', held.slice(0, ready))
        held = end < 0 ? held.slice(ready) : held.slice(end + closing.length)
        if (end >= 0) state = 'gap'
      }
      // The blank lines between thinking and answer belong to neither.
      if (state === 'gap') {
        held = held.trimStart()
        if (held !== '') state = 'text'
      }
      if (state === 'text' && held !== '') {
        emit('text', held)
        held = ''
      }
    },
    end(emit) {
      if (held !== '' && held.trim() !== '') emit(state === 'thinking' ? 'reasoning' : 'text', held)
      held = ''
    },
  }
}

/** How many characters at the end may be the beginning of the closing tag. */
function openTail(text: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length--) {
    if (closing.startsWith(text.slice(-length))) return length
  }
  return 0
}
