import { blockBreak, findInText, type Patterns } from './find-text.ts'

/** The names of the highlights in `find.css`. */
const allName = 'found'
const currentName = 'found-current'

/** In one text at most this many matches are marked. */
const maxMarks = 2000

/** Turns are marked for this time before the page answers the user again. */
const sliceMs = 8

/** A match to be shown: the element of its turn, and its index among the matches of the turn. */
interface ShownMatch {
  readonly turn: HTMLElement
  readonly index: number
}

/**
 * Marks the matches in messages that are drawn, and again when they are drawn anew. The marks are highlights of the
 * browser, so the elements of React stay as they are; a browser without them only scrolls to a match.
 */
export class FindMarks {
  readonly #highlights = typeof CSS !== 'undefined' && 'highlights' in CSS ? CSS.highlights : undefined
  readonly #ranges = new Map<Element, readonly Range[]>()
  readonly #observer = new MutationObserver((records) => this.#handleChanges(records))
  readonly #waiting = new Set<Element>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #patterns: Patterns = []
  #current: ShownMatch | undefined
  #list: HTMLElement | undefined

  /** Marks what is drawn in this element, until the returned function is called. */
  watch(list: HTMLElement): () => void {
    this.#list = list
    this.#observer.observe(list, { childList: true, characterData: true, subtree: true })
    this.mark(this.#patterns)
    return () => this.#stop()
  }

  /** Marks the matches of another search. */
  mark(patterns: Patterns): void {
    this.#patterns = patterns
    this.#ranges.clear()
    this.#current = undefined
    for (const turn of this.#list?.querySelectorAll('article') ?? []) this.#waiting.add(turn)
    this.#markWaiting()
  }

  /** Marks one match as the one that is shown. */
  show(match: ShownMatch | undefined): void {
    this.#current = match
    if (match !== undefined && !this.#ranges.has(match.turn))
      this.#ranges.set(match.turn, this.#find(match.turn))
    this.#paint()
  }

  /** The range of the match that is shown; undefined if it is not drawn, as in a message that is being edited. */
  currentRange(): Range | undefined {
    if (this.#current === undefined) return undefined
    const ranges = this.#ranges.get(this.#current.turn) ?? []
    return ranges[Math.min(this.#current.index, ranges.length - 1)]
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#observer.disconnect()
    this.#highlights?.delete(allName)
    this.#highlights?.delete(currentName)
  }

  #handleChanges(records: readonly MutationRecord[]): void {
    for (const { target, addedNodes } of records) {
      const element = target instanceof Element ? target : target.parentElement
      const turn = element?.closest('article')
      if (turn) this.#waiting.add(turn)
      else
        for (const node of addedNodes)
          if (node instanceof Element)
            for (const added of node.matches('article') ? [node] : node.querySelectorAll('article'))
              this.#waiting.add(added)
    }
    if (this.#waiting.size > 0) this.#timer ??= setTimeout(this.#markWaiting)
  }

  readonly #markWaiting = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const end = performance.now() + sliceMs
    for (const turn of this.#waiting) {
      if (performance.now() > end) break
      this.#waiting.delete(turn)
      this.#ranges.set(turn, this.#find(turn))
    }
    for (const turn of this.#ranges.keys()) if (!turn.isConnected) this.#ranges.delete(turn)
    this.#paint()
    if (this.#waiting.size > 0) this.#timer = setTimeout(this.#markWaiting)
  }

  #find(turn: Element): readonly Range[] {
    return this.#patterns.length === 0
      ? []
      : [...turn.querySelectorAll(textSelector)].flatMap((element) => findIn(element, this.#patterns))
  }

  #paint(): void {
    if (this.#highlights === undefined) return
    const all = new Highlight()
    for (const ranges of this.#ranges.values()) for (const range of ranges.slice(0, maxMarks)) all.add(range)
    this.#highlights.set(allName, all)
    const range = this.currentRange()
    const current = new Highlight(...(range === undefined ? [] : [range]))
    current.priority = 1
    this.#highlights.set(currentName, current)
  }
}

/** The texts that are searched, see `ChatFinder`. The text of a tool or a summary is none. */
const textSelector = 'article > .markdown, article [data-typed-text], article > div .markdown'

/** What is drawn inside of a text and does not belong to it. */
const foreignSelector = 'figcaption, button, .katex, .markdown-image, .sr-only, [popover]'

const blockSelector = 'p, li, th, td, pre, h1, h2, h3, h4, h5, h6, blockquote, dt, dd, div'

/** Finds the matches in an element. */
function findIn(element: Element, patterns: Patterns): readonly Range[] {
  const nodes: { readonly node: Text; readonly start: number }[] = []
  let text = ''
  let lastBlock: Element | null = null
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    node instanceof Element && node.matches(foreignSelector)
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  )
  while (walker.nextNode()) {
    const node = walker.currentNode
    if (!(node instanceof Text)) {
      if (node.nodeName === 'BR') text += '\n'
      continue
    }
    const block = node.parentElement?.closest(blockSelector) ?? null
    if (block !== lastBlock && text !== '') text += blockBreak
    lastBlock = block
    nodes.push({ node, start: text.length })
    text += node.data
  }
  let at = 0
  /** The place of the character at an offset of the text. Offsets only grow from call to call. */
  const placeOf = (offset: number): readonly [Text, number] | undefined => {
    while (at + 1 < nodes.length && (nodes[at + 1]?.start ?? Infinity) <= offset) at += 1
    const found = nodes[at]
    return found && [found.node, Math.min(offset - found.start, found.node.length)]
  }
  return findInText(text, patterns).flatMap(([start, end]) => {
    const from = placeOf(start)
    const last = placeOf(end - 1)
    if (from === undefined || last === undefined) return []
    const range = document.createRange()
    range.setStart(...from)
    range.setEnd(last[0], Math.min(last[1] + 1, last[0].length))
    return range
  })
}
