type Fields = Readonly<Record<string, unknown>>

export interface TurnKeeper {
  push(delta: Fields): void
  /** Fields of the turn; nothing when there were none. */
  end(): Fields | undefined
}

/**
 * Keeps what some servers send beside a turn and want to see again when its calls are answered: thinking that goes on after
 * the results (`reasoning_content`), or is signed (`reasoning_details`).
 */
export function keepTurn(): TurnKeeper {
  let thinking = ''
  const details: Record<string, unknown>[] = []
  return {
    push({ reasoning_content: text, reasoning_details: pieces }) {
      if (typeof text === 'string') thinking += text
      if (Array.isArray(pieces)) for (const piece of pieces as readonly unknown[]) addDetail(details, piece)
    },
    end() {
      if (details.length > 0) return { reasoning_details: details }
      return thinking === '' ? undefined : { reasoning_content: thinking }
    },
  }
}

/** Pieces of one text become one; everything else stays as it came. */
function addDetail(details: Record<string, unknown>[], piece: unknown): void {
  if (typeof piece !== 'object' || piece === null) return
  const last = details.at(-1)
  const { text, ...rest } = piece as Record<string, unknown>
  const goesOn =
    typeof text === 'string' &&
    typeof last?.['text'] === 'string' &&
    last['type'] === rest['type'] &&
    last['index'] === rest['index']
  if (goesOn) Object.assign(last, rest, { text: `${String(last['text'])}${text}` })
  else details.push({ ...(piece as Record<string, unknown>) })
}

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
