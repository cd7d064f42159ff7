import type { Message } from '@yonder/contract/message'
import { textOfContent, textOfMessage } from '@yonder/contract/message-text'
import { createStore, type ReadableStore } from '../../../lib/store.ts'
import type { MessageGroup } from '../list/message-tree.ts'
import { groupContinued, joinCutText } from '../message/join-replies.ts'
import { holdsMarkdown } from '../message/typed-content.tsx'
import { barelyFold, blockBreak, findFolded, foldForFind, mayContain, type Patterns } from './find-text.ts'

/** A match: its turn, by the id of the first message, and its index among the matches in that turn. */
export interface Match {
  readonly turnId: string
  readonly index: number
}

export interface FindState {
  /** The number of matches that were found so far. */
  readonly count: number
  /** Whether the whole chat was searched. */
  readonly isComplete: boolean
  /** The match that is shown. */
  readonly current: Match | undefined
  /** Its place among all matches, from 1; undefined before the whole chat was searched. */
  readonly position: number | undefined
}

const nothing: FindState = { count: 0, isComplete: true, current: undefined, position: undefined }

/** Messages are searched for this time before the page answers the user again. */
const sliceMs = 8

type TextOfMarkdown = (markdown: string, blockBreak: string) => string

/**
 * Searches the texts of all messages of a chat, drawn or not, in slices. A text is read once: the marks of markdown are
 * removed when a search needs it, and the matches are counted again only for another search.
 */
export class ChatFinder {
  readonly #state = createStore(nothing)
  /** Loads the function that removes the marks of markdown. */
  readonly #load: () => Promise<TextOfMarkdown>
  readonly #texts = new WeakMap<Message, SearchedText>()
  #turns: readonly Turn[] = []
  #patterns: Patterns = []
  /** The number of matches in each turn, once all are counted. */
  #counts: readonly number[] = []
  #counting: Promise<void> = Promise.resolve()
  /** Where the search began. */
  #from = 0
  #round = 0
  /** The message whose first match is shown, if it is not that of any message. */
  #onlyIn: string | undefined

  constructor(load: () => Promise<TextOfMarkdown>) {
    this.#load = load
  }

  get state(): ReadableStore<FindState> {
    return this.#state
  }

  /** Sets the turns that are searched, oldest first. A search goes on with them. */
  setTurns(turns: readonly MessageGroup[]): void {
    this.#turns = turns.map((group) => ({ id: group[0].id, texts: this.#textsOf(group) }))
    if (this.#patterns.length > 0) this.#counting = this.#count()
  }

  /** Searches, and shows the first match from the turn with this id on. */
  find(patterns: Patterns, fromTurnId?: string): void {
    this.#start(
      patterns,
      this.#turns.findIndex(({ id }) => id === fromTurnId),
    )
  }

  /** Searches, and shows the first match in this message, or none if it has none. */
  findIn(messageId: string, patterns: Patterns): void {
    const from = this.#turns.findIndex(({ texts }) => texts.some(({ ids }) => ids.includes(messageId)))
    this.#start(patterns, from, messageId)
  }

  #start(patterns: Patterns, from: number, onlyIn?: string): void {
    this.#patterns = patterns
    this.#state.set({ ...nothing, isComplete: patterns.length === 0 })
    this.#from = Math.max(0, from)
    this.#onlyIn = onlyIn
    this.#counting = this.#count()
  }

  /** Shows the next match, or the previous one; after the last one the first. */
  async step(direction: 1 | -1): Promise<void> {
    await this.#counting
    const { current, count } = this.#state.get()
    if (count === 0) return
    const all = this.#turns.length
    const at = this.#turns.findIndex(({ id }) => id === current?.turnId)
    const index = (current?.index ?? -1) + direction
    if (at >= 0 && index >= 0 && index < (this.#counts[at] ?? 0)) return this.#show(at, index)
    for (let step = 1; step <= all; step++) {
      const next = (at + step * direction + all) % all
      const found = this.#counts[next] ?? 0
      if (found > 0) return this.#show(next, direction > 0 ? 0 : found - 1)
    }
  }

  #show(turn: number, index: number): void {
    const turnId = this.#turns[turn]?.id
    if (turnId === undefined) return
    const position = this.#counts.slice(0, turn).reduce((sum, found) => sum + found, 0) + index + 1
    this.#state.update((state) => ({ ...state, current: { turnId, index }, position }))
  }

  /** Counts the matches in all turns. */
  async #count(): Promise<void> {
    const round = ++this.#round
    const [turns, patterns] = [this.#turns, this.#patterns]
    const textOf = await this.#load()
    if (round !== this.#round) return
    const counts: number[] = Array.from({ length: turns.length }, () => 0)
    let sum = 0
    let sliceEnd = performance.now() + sliceMs
    for (let step = 0; step < turns.length; step++) {
      const at = (this.#from + step) % turns.length
      const turn = turns[at]
      const found = turn === undefined ? 0 : countMatches(turn, patterns, textOf)
      counts[at] = found
      sum += found
      const { current, isComplete } = this.#state.get()
      if (found > 0 && turn !== undefined && current === undefined && !isComplete) {
        const index = this.#onlyIn === undefined ? 0 : firstMatchIn(turn, this.#onlyIn)
        if (index !== undefined)
          this.#state.update((state) => ({ ...state, count: sum, current: { turnId: turn.id, index } }))
      }
      if (performance.now() < sliceEnd) continue
      // A chat that changes while it is shown keeps its numbers until they are all known.
      if (!isComplete) this.#state.update((state) => ({ ...state, count: sum }))
      await new Promise((resolve) => setTimeout(resolve))
      if (round !== this.#round) return
      sliceEnd = performance.now() + sliceMs
    }
    this.#counts = counts
    this.#complete(sum)
  }

  #complete(count: number): void {
    const { current } = this.#state.get()
    const at = this.#turns.findIndex(({ id }) => id === current?.turnId)
    const found = this.#counts[at] ?? 0
    // The match may have gone with its version, or with the text that a stopped reply did not keep.
    this.#state.set({ ...nothing, count })
    if (current !== undefined && found > 0) this.#show(at, Math.min(current.index, found - 1))
  }

  #textsOf(group: MessageGroup): readonly SearchedText[] {
    const [first] = group
    if (first.role === 'user') {
      const text = textOfContent(first.content)
      return [this.#remember([first], text, () => holdsMarkdown(text))]
    }
    return groupContinued(group).map((replies) => {
      const text = replies.map(textOfMessage).reduce(joinCutText)
      return this.#remember(replies, text, () => true)
    })
  }

  #remember(messages: MessageGroup, source: string, isMarkdown: () => boolean): SearchedText {
    const last = messages.at(-1) ?? messages[0]
    const known = this.#texts.get(last)
    if (known?.source === source) return known
    const text = { ids: messages.map(({ id }) => id), source, isMarkdown }
    this.#texts.set(last, text)
    return text
  }
}

/** Returns the index of the first match in a message among those of its turn, whose matches are counted. */
function firstMatchIn({ texts }: Turn, messageId: string): number | undefined {
  let index = 0
  for (const { ids, counted } of texts) {
    const count = counted?.count ?? 0
    if (ids.includes(messageId)) return count > 0 ? index : undefined
    index += count
  }
  return undefined
}

interface Turn {
  readonly id: string
  readonly texts: readonly SearchedText[]
}

/** A text as it is drawn in one piece, and what is known of it. */
interface SearchedText {
  /** The messages from which it is joined. */
  readonly ids: readonly string[]
  readonly source: string
  readonly isMarkdown: () => boolean
  bare?: string
  folded?: string
  counted?: { readonly patterns: Patterns; readonly count: number }
}

function countMatches({ texts }: Turn, patterns: Patterns, textOf: TextOfMarkdown): number {
  let sum = 0
  for (const text of texts) {
    if (text.counted?.patterns !== patterns)
      text.counted = { patterns, count: countIn(text, patterns, textOf) }
    sum += text.counted.count
  }
  return sum
}

function countIn(text: SearchedText, patterns: Patterns, textOf: TextOfMarkdown): number {
  text.bare ??= barelyFold(text.source)
  if (!mayContain(text.bare, patterns)) return 0
  text.folded ??= foldForFind(text.isMarkdown() ? textOf(text.source, blockBreak) : text.source)
  return findFolded(text.folded, patterns).length
}
