import { useLayoutEffect, useRef, type RefObject } from 'react'

/** Two positions that differ by less count as the same. The browser scrolls by whole pixels of the screen. */
const tolerancePx = 1.5
/** While the page scrolls, the line at its top is searched for once in this time, not at each step. */
const scrollPauseMs = 150
/** Elements of a smaller height are there for screen readers only. */
const minHeightPx = 2

/**
 * Keeps the line at the top of the view in its place when the layout of `content` changes, for example because a phone
 * is turned. The browser's own scroll anchoring keeps the start of an element, which may be far above the view
 * in a long paragraph. `scroll-margin-top` of `content` is the height of what covers the top of the window. While
 * `isAtEnd`, this hook does nothing: the caller keeps the page at its end.
 *
 * The returned ref has the scroll position that this hook set last; undefined after the user has scrolled. It is set
 * before the window's own listeners for `scroll` are called.
 */
export function useReadingPlace(
  content: RefObject<HTMLElement | null>,
  isAtEnd = false,
): RefObject<number | undefined> {
  const restoredTop = useRef<number>(undefined)
  useLayoutEffect(() => {
    const element = content.current
    return element === null || isAtEnd ? undefined : new PlaceKeeper(element, restoredTop).watch()
  }, [content, isAtEnd])
  return restoredTop
}

class PlaceKeeper {
  readonly #content: HTMLElement
  readonly #restoredTop: RefObject<number | undefined>
  #place: ReadingPlace | undefined
  #top = window.scrollY
  /** Set while the page scrolls. The line at its top is searched for when the timer or the scrolling ends. */
  #scrollTimer: ReturnType<typeof setTimeout> | undefined

  constructor(content: HTMLElement, restoredTop: RefObject<number | undefined>) {
    this.#content = content
    this.#restoredTop = restoredTop
    this.#place = findPlace(content)
  }

  /** Starts to keep the line in its place, and returns a function that stops this. */
  watch(): () => void {
    const observer = new ResizeObserver(this.#update)
    observer.observe(this.#content)
    // The browser may scroll before the observer reports a new width, so both call `#update`. The listener is on the
    // document because the listeners on the window, which look for scrolling by the user, must run after it.
    document.addEventListener('scroll', this.#update, { passive: true })
    window.addEventListener('scrollend', this.#findLine)
    return () => {
      clearTimeout(this.#scrollTimer)
      observer.disconnect()
      document.removeEventListener('scroll', this.#update)
      window.removeEventListener('scrollend', this.#findLine)
    }
  }

  readonly #update = (): void => {
    // After a new width, the browser may have scrolled by itself, so a new position is not the user's.
    if (this.#isReflowed()) this.#restore()
    else if (window.scrollY !== this.#top) {
      this.#top = window.scrollY
      this.#restoredTop.current = undefined
      this.#scrollTimer ??= setTimeout(this.#findLine, scrollPauseMs)
    } else if (this.#scrollTimer === undefined) this.#restore()
  }

  readonly #findLine = (): void => {
    if (this.#scrollTimer === undefined) return
    this.#stopTimer()
    // After a new width that the observer has not reported yet, another line is at the top.
    if (this.#isReflowed()) this.#restore()
    else if (window.scrollY <= 0) this.#place = undefined
    // A line that has not moved is kept, so that the same line is at the top after a phone was turned twice.
    else if (!isInPlace(this.#content, this.#place)) this.#place = findPlace(this.#content)
  }

  #stopTimer(): void {
    clearTimeout(this.#scrollTimer)
    this.#scrollTimer = undefined
  }

  /** Whether the text around the line was laid out again for another width. */
  #isReflowed(): boolean {
    return this.#place !== undefined && widthsAround(this.#place.block, this.#content) !== this.#place.widths
  }

  /** Scrolls the page so that the line is in its place again. */
  #restore(): void {
    this.#stopTimer()
    const known = this.#place
    const place = known === undefined || known.text.isConnected ? known : findAgain(known)
    // At the start of the page the browser keeps the position itself.
    if (window.scrollY <= 0) this.#place = undefined
    else if (place === undefined || topOf(place) === undefined) this.#place = findPlace(this.#content)
    else {
      this.#place = { ...place, widths: widthsAround(place.block, this.#content) }
      const distance = distanceFrom(this.#content, place)
      if (Math.abs(distance) >= 0.5) window.scrollBy(0, distance)
      this.#restoredTop.current = window.scrollY
    }
    this.#top = window.scrollY
  }
}

/** A line of text, and its distance from the upper edge of the view. */
interface ReadingPlace extends Line {
  readonly topPx: number
  /** The element in whose width the text is wrapped. */
  readonly block: Element
  /** See `widthsAround`. */
  readonly widths: string
  /** The index of the line's first character in the text of the block. */
  readonly index: number
}

function findPlace(content: HTMLElement): ReadingPlace | undefined {
  const edge = upperEdge(content)
  const line = findLine(content, edge)
  const top = line && topOf(line)
  if (line === undefined || top === undefined) return undefined
  let block = line.text.parentElement ?? content
  // Inline elements have no client width.
  while (block.clientWidth === 0 && block.parentElement !== null) block = block.parentElement
  const before = document.createRange()
  before.setStart(block, 0)
  before.setEnd(line.text, line.offset)
  const index = before.toString().length
  return { ...line, topPx: top - edge, block, widths: widthsAround(block, content), index }
}

/** The same place after the elements in its block were replaced, such as when code is highlighted. */
function findAgain(place: ReadingPlace): ReadingPlace | undefined {
  const walker = document.createTreeWalker(place.block, NodeFilter.SHOW_TEXT)
  let offset = place.index
  while (place.block.isConnected && walker.nextNode()) {
    const text = walker.currentNode as Text
    if (offset < text.length) return { ...place, text, offset }
    offset -= text.length
  }
  return undefined
}

/**
 * The widths of an element and of what contains it, up to `content`. One of them would not be enough: a short message
 * is as wide as its text at any width of the page, and the browser applies a new width of the window and the styles
 * that depend on it in two steps.
 */
function widthsAround(block: Element, content: Element): string {
  const widths: number[] = []
  for (let element: Element | null = block; element !== null; element = element.parentElement) {
    widths.push(element.clientWidth)
    if (element === content) break
  }
  return widths.join()
}

/** Whether the line is still where it was. */
function isInPlace(content: HTMLElement, place: ReadingPlace | undefined): boolean {
  if (place === undefined || topOf(place) === undefined) return false
  return Math.abs(distanceFrom(content, place)) <= tolerancePx
}

/** How far below its place the line is now, in pixels. */
function distanceFrom(content: HTMLElement, place: ReadingPlace): number {
  return (topOf(place) ?? 0) - upperEdge(content) - place.topPx
}

/** The upper edge of the view, in pixels: the lower edge of what covers the top of the window. */
function upperEdge(content: HTMLElement): number {
  return Number.parseFloat(getComputedStyle(content).scrollMarginTop) || 0
}

interface Line {
  readonly text: Text
  /** The index of the first character of the line in `text`. */
  readonly offset: number
}

/** The first line of text that begins below `edge`. */
function findLine(parent: Element, edge: number): Line | undefined {
  for (let child = firstNodeAt(parent, edge); child !== null; child = child.nextSibling) {
    if (child instanceof Text) {
      const line = findLineOfText(child, edge)
      if (line !== undefined) return line
    } else if (child instanceof Element) {
      const { bottom, height } = child.getBoundingClientRect()
      const isLine = bottom > edge && height >= minHeightPx && !isSticky(child)
      const line = isLine ? findLine(child, edge) : undefined
      if (line !== undefined) return line
    }
  }
  return undefined
}

/** The header of code stays in view while its block is scrolled, so its text is no line that is read. */
const isSticky = (element: Element) => getComputedStyle(element).position === 'sticky'

/**
 * Returns the first child that may reach below `edge`. A long chat has thousands of children, so this is a binary
 * search, which needs the elements in order from top to bottom.
 */
function firstNodeAt({ children, firstChild }: Element, edge: number): ChildNode | null {
  let low = 0
  let high = children.length
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((children[middle]?.getBoundingClientRect().bottom ?? Infinity) > edge) high = middle
    else low = middle + 1
  }
  const before = children[low - 1]
  return before === undefined ? firstChild : before.nextSibling
}

function findLineOfText(text: Text, edge: number): Line | undefined {
  const isBelow = (length: number) => (lastRect(text, 0, length)?.top ?? -Infinity) >= edge - tolerancePx
  let high = text.length
  if (!isBelow(high)) return undefined
  let low = 0
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isBelow(middle)) high = middle
    else low = middle
  }
  return { text, offset: low }
}

/** Undefined when the text is no longer drawn. */
function topOf({ text, offset }: Line): number | undefined {
  return lastRect(text, offset, offset + 1)?.top
}

/** The box of the last line that has characters of this part of a text. */
function lastRect(text: Text, start: number, end: number): DOMRect | undefined {
  const range = document.createRange()
  // A text that is being written may have become shorter.
  range.setStart(text, Math.min(start, text.length))
  range.setEnd(text, Math.min(end, text.length))
  const rects = range.getClientRects()
  return rects[rects.length - 1]
}
