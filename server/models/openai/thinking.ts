import type { Fields } from './json-fields.ts'

export interface TurnFieldCollector {
  push(delta: Fields): void
  /** The fields to send back with the turn; undefined when there were none. */
  end(): Fields | undefined
}

/**
 * Creates a collector of the fields that some servers expect back with a turn when its tool results are sent: thinking
 * that the model continues after the results (`reasoning_content`), or signed thinking (`reasoning_details`).
 */
export function createTurnFieldCollector(): TurnFieldCollector {
  let thinking = ''
  const details: Record<string, unknown>[] = []
  return {
    push({ reasoning_content: text, reasoning_details: chunks }) {
      if (typeof text === 'string') thinking += text
      if (Array.isArray(chunks)) for (const chunk of chunks as readonly unknown[]) addDetail(details, chunk)
    },
    end() {
      if (details.length > 0) return { reasoning_details: details }
      return thinking === '' ? undefined : { reasoning_content: thinking }
    },
  }
}

/** Adds a chunk: text that continues the last detail is joined with it, anything else becomes a new detail. */
function addDetail(details: Record<string, unknown>[], chunk: unknown): void {
  if (typeof chunk !== 'object' || chunk === null) return
  const last = details.at(-1)
  const { text, ...fields } = chunk as Record<string, unknown>
  const continuesLast =
    typeof text === 'string' &&
    typeof last?.['text'] === 'string' &&
    last['type'] === fields['type'] &&
    last['index'] === fields['index']
  if (continuesLast) Object.assign(last, fields, { text: `${String(last['text'])}${text}` })
  else details.push({ ...(chunk as Record<string, unknown>) })
}

const opening = '<think>'
const closing = '</think>'

export interface ThinkingSplitter {
  push(text: string, emit: (kind: 'text' | 'reasoning', text: string) => void): void
  /** Emits the text that was held back because it might have been the start of a tag. */
  end(emit: (kind: 'text' | 'reasoning', text: string) => void): void
}

/**
 * Creates a splitter that separates thinking, which some models write as `<think>…</think>` at the very start of their
 * reply, from the text. A tag anywhere else is ordinary text. Chunks may end anywhere, also within a tag.
 */
export function createThinkingSplitter(): ThinkingSplitter {
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
        const ready = end < 0 ? held.length - countHeldChars(held) : end
        if (ready > 0) emit('reasoning', held.slice(0, ready))
        held = end < 0 ? held.slice(ready) : held.slice(end + closing.length)
        if (end >= 0) state = 'gap'
      }
      // The blank lines between thinking and text belong to neither.
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

/** The number of characters at the end that may be the beginning of the closing tag. */
function countHeldChars(text: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length--) {
    if (closing.startsWith(text.slice(-length))) return length
  }
  return 0
}
