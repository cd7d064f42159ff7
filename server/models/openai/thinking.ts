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

interface Tags {
  readonly open: string
  /** Null for a mark that only says that the text begins. */
  readonly close: string | null
}

/**
 * How models mark thinking in their text, when the server does not separate it. All come from chat templates, so they
 * stand at the very start of the reply, or follow each other.
 */
const tagPairs = [
  // DeepSeek R1, Qwen 3, GLM, Kimi and most others, and what their users prompt for.
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
  { open: '<thought>', close: '</thought>' },
  { open: '<reasoning>', close: '</reasoning>' },
  // Seed-OSS; Magistral; Kimi-VL; Cohere.
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '[THINK]', close: '[/THINK]' },
  { open: '◁think▷', close: '◁/think▷' },
  { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  { open: '<|START_RESPONSE|>', close: null },
  // The channels of gpt-oss.
  { open: '<|channel|>analysis<|message|>', close: '<|end|>' },
  { open: '<|start|>assistant<|channel|>analysis<|message|>', close: '<|end|>' },
  { open: '<|start|>assistant<|channel|>final<|message|>', close: null },
  { open: '<|channel|>final<|message|>', close: null },
] as const satisfies readonly Tags[]

/** Templates of DeepSeek R1, Qwen 3 and others write the opening tag themselves: only the closing one is received. */
const closingTags = ['</think>', '</thinking>', '</seed:think>', '[/THINK]', '◁/think▷'] as const
/** The first characters of the closing tags. A text without them needs no further look. */
const tagStart = /[<[◁]/
/** A closing tag without an opening one is looked for in this many characters. */
const maxSearchedChars = 200_000

export interface ThinkingReceiver {
  readonly add: (kind: 'text' | 'reasoning', text: string) => void
  /** The text that was added so far is reasoning. */
  readonly reclassify: () => void
}

export interface ThinkingSplitter {
  push(text: string): void
  /** Adds the text that was held back because it might have been the start of a tag. */
  end(): void
}

/**
 * Creates a splitter that separates thinking from the text: between tags at the start of the reply, or before a closing
 * tag whose opening one the chat template has written. A tag anywhere else is ordinary text, and so is one in code.
 * Chunks may end anywhere, also within a tag.
 */
export function createThinkingSplitter({ add, reclassify }: ThinkingReceiver): ThinkingSplitter {
  let state: 'start' | 'thinking' | 'text' | 'rest' = 'start'
  let close = ''
  /** Received text that is not added yet. */
  let held = ''
  /** In the state `thinking`: the last character that was added. */
  let lastChar = ''
  /** In the state `text`: what was added, while a closing tag may still show that it is thinking. */
  let added = ''

  /** Reads a tag, or the first text. Returns false when more must arrive. */
  function readStart(): boolean {
    const begin = held.trimStart()
    const tags = tagPairs.find(({ open }) => begin.startsWith(open))
    if (tags === undefined) {
      if (tagPairs.some(({ open }) => begin.length < open.length && open.startsWith(begin))) return false
      state = close === '' ? 'text' : 'rest'
      // The blank lines between thinking and text belong to neither.
      if (state === 'rest') held = begin
      return true
    }
    held = begin.slice(tags.open.length)
    close = tags.close ?? close
    state = tags.close === null ? 'rest' : 'thinking'
    return true
  }

  function readThinking(isEnd = false): boolean {
    const end = findOutsideQuotes(lastChar + held, close) - lastChar.length
    // What follows a tag after a backtick shows whether it is quoted.
    const isOpen = !isEnd && end >= 0 && end + close.length === held.length && isQuoteMark(end)
    const found = end >= 0 && !isOpen
    const ready = found || isOpen ? end : held.length - countTagStart(held, [close])
    if (ready > 0) {
      add('reasoning', held.slice(0, ready))
      lastChar = held[ready - 1] ?? ''
    }
    held = held.slice(found ? end + close.length : ready)
    if (found) state = 'start'
    return found
  }

  function isQuoteMark(end: number): boolean {
    return (end > 0 ? held[end - 1] : lastChar) === '`'
  }

  function readText(isEnd = false): boolean {
    if (!tagStart.test(held) || added.length > maxSearchedChars) return addText(held.length)
    const found = findClosingTag(added, isEnd ? `${held}\n` : held)
    if (found === undefined)
      return addText(isEnd ? held.length : held.length - countTagStart(held, closingTags))
    // What follows the tag may show whether it ends its line.
    if (found.isOpen) return addText(found.at)
    addText(found.at)
    reclassify()
    held = held.slice(found.tag.length)
    close = found.tag
    state = 'start'
    return true
  }

  function addText(length: number): false {
    const text = held.slice(0, length)
    if (text !== '') add('text', text)
    added += text
    held = held.slice(length)
    return false
  }

  /** Reads from `held`. Returns false when more must arrive. */
  function readNext(): boolean {
    switch (state) {
      case 'start':
        return readStart()
      case 'thinking':
        return readThinking()
      case 'text':
        return readText()
      case 'rest':
        add('text', held)
        held = ''
        return false
    }
  }

  return {
    push(text) {
      if (state === 'rest') return add('text', text)
      held += text
      while (held !== '' && readNext());
    },
    end() {
      if (state === 'thinking') readThinking(true)
      if (state === 'text') readText(true)
      if (held.trim() !== '') add(state === 'thinking' ? 'reasoning' : 'text', held)
      held = ''
    },
  }
}

/** The position of a tag that does not stand between backticks; -1 when there is none. */
function findOutsideQuotes(text: string, tag: string): number {
  let at = text.indexOf(tag)
  while (at >= 0 && text[at - 1] === '`' && text[at + tag.length] === '`') at = text.indexOf(tag, at + 1)
  return at
}

/**
 * Finds a closing tag in `held` that ends thinking: it begins or ends a line, and is not within code. `before` is the
 * text before `held`.
 */
function findClosingTag(
  before: string,
  held: string,
): { readonly tag: string; readonly at: number; readonly isOpen: boolean } | undefined {
  for (const tag of closingTags) {
    const at = held.indexOf(tag)
    if (at < 0) continue
    const former = before.slice(-100) + held.slice(0, at)
    const after = held.slice(at + tag.length, at + tag.length + 20)
    const beginsLine = /(?:^|\n)[ \t]*$/.test(former.slice(-20))
    const mayEndLine = /^[ \t]*(?:\n|$)/.test(after) && !/[\s`'"]$/.test(former)
    if (!beginsLine && !mayEndLine) continue
    const whole = before + held.slice(0, at)
    // With an opening tag in the text, the tags are a part of it.
    if (!whole.includes(tag.replace('/', '')) && !isInCode(whole))
      return { tag, at, isOpen: !beginsLine && !after.includes('\n') }
  }
  return undefined
}

/** Whether a text ends within a fenced block of code. */
function isInCode(text: string): boolean {
  return (text.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 1
}

/** The number of characters at the end that may be the beginning of a tag. */
function countTagStart(text: string, tags: readonly string[]): number {
  const longest = Math.max(...tags.map((tag) => tag.length)) - 1
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length)
    if (tags.some((tag) => tag.startsWith(end))) return length
  }
  return 0
}
