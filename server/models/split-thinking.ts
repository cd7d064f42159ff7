import { firstFlattening, flattenAt } from '../lib/flatten-text.ts'

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
/** A closing tag without an opening one is looked for in this many characters, */
const maxSearchedChars = 200_000
/** and until this many were found to be text: each look reads all of the text before it. */
const maxRejectedTags = 20
/** Blank characters that are held back before a tag or the first text. */
const maxBlankChars = 1_000

export interface ThinkingReceiver {
  readonly add: (kind: 'text' | 'reasoning', text: string) => void
  /** The text that was added so far is reasoning. */
  readonly reclassify: () => void
}

/**
 * Creates a splitter that separates thinking from the text: between tags at the start of the reply, or before a closing
 * tag whose opening one the chat template has written. A tag anywhere else is ordinary text, and so is one in code.
 * Chunks may end anywhere, also within a tag.
 */
export function createThinkingSplitter({ add, reclassify }: ThinkingReceiver) {
  let state: 'start' | 'thinking' | 'text' | 'rest' = 'start'
  let close = ''
  /** Received text that is not added yet. */
  let held = ''
  /** In the state `thinking`: the last character that was added. */
  let lastChar = ''
  /** In the state `text`: what was added, while a closing tag may still show that it is thinking. */
  let added = ''
  /** The length at which `added` is flattened. */
  let flattenAddedAt = firstFlattening
  let rejectedTags = 0

  /** Reads a tag, or the first text. Returns false when more must arrive. */
  function readStart(): boolean {
    const begin = held.trimStart()
    const tags = tagPairs.find(({ open }) => begin.startsWith(open))
    if (tags === undefined) {
      const mayBecomeTag = begin !== '' || held.length <= maxBlankChars
      if (mayBecomeTag && tagPairs.some(({ open }) => begin.length < open.length && open.startsWith(begin)))
        return false
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
    if (added.length > maxSearchedChars || rejectedTags > maxRejectedTags) {
      state = 'rest'
      added = ''
      return true
    }
    const found = tagStart.test(held) ? findTag(held) : undefined
    if (found === undefined)
      return addText(isEnd ? held.length : held.length - countTagStart(held, closingTags))
    const { tag, at } = found
    const isEndOfThinking = endsThinking(added + held.slice(0, at), tag, held.slice(at + tag.length), isEnd)
    // What follows the tag may show whether it ends its line.
    if (isEndOfThinking === undefined) return addText(at)
    if (isEndOfThinking) {
      addText(at)
      reclassify()
      held = held.slice(tag.length)
      close = tag
      state = 'start'
    } else {
      rejectedTags += 1
      addText(at + tag.length)
    }
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
    push(text: string): void {
      if (state === 'rest') return add('text', text)
      // Most tokens: nothing is held back and nothing looks like a tag.
      if (state === 'text' && held === '' && added.length <= maxSearchedChars && !tagStart.test(text)) {
        added += text
        flattenAddedAt = flattenAt(flattenAddedAt, added)
        return add('text', text)
      }
      held += text
      while (held !== '' && readNext());
    },
    /** Adds the text that was held back because it might have been the start of a tag. */
    end(): void {
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

/** Finds the first closing tag in a text. */
function findTag(text: string): { readonly tag: string; readonly at: number } | undefined {
  const found = closingTags.map((tag) => ({ tag, at: text.indexOf(tag) })).filter(({ at }) => at >= 0)
  return found.sort((a, b) => a.at - b.at)[0]
}

/**
 * Whether a closing tag ends thinking: it begins or ends a line, and is not within code. Undefined when the rest of its
 * line has not arrived.
 */
function endsThinking(before: string, tag: string, after: string, isEnd: boolean): boolean | undefined {
  const beginsLine = /(?:^|\n)[ \t]*$/.test(before.slice(-20))
  const mayEndLine = /^[ \t]*(?:\n|$)/.test(after.slice(0, 20)) && !/[\s`'"]$/.test(before.slice(-1))
  if (!beginsLine && !mayEndLine) return false
  // With an opening tag in the text, the tags are a part of it.
  if (before.includes(tag.replace('/', '')) || isInCode(before)) return false
  if (beginsLine || isEnd || after.slice(0, 20).includes('\n')) return true
  return after.length < 20 ? undefined : false
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
