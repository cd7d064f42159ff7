import { useLayoutEffect, useRef, type RefObject } from 'react'

/** While the page scrolls, the line at its top is searched for once in this time, not at each step. */
const scrollPauseMs = 150
/** After a new width, the layout may change for this long, for example because styles depend on the width. */
const settleMs = 500
/** The steps down in which a line is searched for, less than the height of one. */
const stepPx = 12
/** Two positions that differ by less count as the same. The browser scrolls by whole pixels of the screen. */
const tolerancePx = 1.5

/** A character, and how far below the upper edge of the view it is. */
interface ReadingPlace {
  readonly range: Range
  readonly topPx: number
}

/**
 * Keeps the line at the top of the view in its place when `content` gets another width, for example because a phone is
 * turned. For other changes the browser's own scroll anchoring is enough. `scroll-margin-top` of `content` is the height
 * of what covers the top of the window. While `isAtEnd`, this hook does nothing: the caller keeps the page at its end.
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
    if (element === null || isAtEnd) return
    let place = findPlace(element)
    let width = element.clientWidth
    let settledAt = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const find = () => {
      clearTimeout(timer)
      timer = undefined
      // A line that has not moved is kept, so that the same line is at the top after a phone was turned twice.
      if (element.clientWidth === width && !isInPlace(element, place)) place = findPlace(element)
    }
    const restore = () => {
      if (element.clientWidth !== width) settledAt = performance.now() + settleMs
      else if (performance.now() > settledAt) return
      width = element.clientWidth
      const distance = place && distanceFrom(element, place)
      if (distance === undefined) return
      if (Math.abs(distance) >= 0.5) window.scrollBy(0, distance)
      restoredTop.current = window.scrollY
    }
    const handleScroll = () => {
      // After a new width, the browser may have scrolled by itself, and before the observer reports the width.
      if (element.clientWidth !== width || performance.now() < settledAt) return restore()
      if (window.scrollY === restoredTop.current) return
      restoredTop.current = undefined
      timer ??= setTimeout(find, scrollPauseMs)
    }
    const observer = new ResizeObserver(restore)
    observer.observe(element)
    // On the document, because the listeners on the window, which look for scrolling by the user, must run after it.
    document.addEventListener('scroll', handleScroll, { passive: true })
    window.addEventListener('scrollend', find)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('scroll', handleScroll)
      window.removeEventListener('scrollend', find)
    }
  }, [content, isAtEnd])
  return restoredTop
}

/**
 * Finds the first character of the first whole line of text. Undefined at the start of the page, where the browser keeps
 * the position itself, and in a browser without carets.
 */
function findPlace(content: HTMLElement): ReadingPlace | undefined {
  if (window.scrollY <= 0 || !('caretPositionFromPoint' in document)) return undefined
  const edge = upperEdge(content)
  const { left, width } = content.getBoundingClientRect()
  for (let y = edge + stepPx / 2; y < window.innerHeight;) {
    const inLine = characterAt(content, left + width / 2, y)
    const line = inLine?.startContainer.parentElement?.getBoundingClientRect()
    // An inline element may begin in the middle of the line.
    const range = (line && characterAt(content, line.left + 1, y)) ?? inLine
    const box = range?.getClientRects()[0]
    if (range !== undefined && box !== undefined && box.top >= edge - tolerancePx)
      return { range, topPx: box.top - edge }
    y = Math.max(y + stepPx, (box?.bottom ?? 0) + stepPx / 2)
  }
  return undefined
}

/** The character of a text that is at a point of the window, or nearest to it in its line. */
function characterAt(content: HTMLElement, x: number, y: number): Range | undefined {
  const caret = document.caretPositionFromPoint(x, y)
  if (!(caret?.offsetNode instanceof Text) || !content.contains(caret.offsetNode)) return undefined
  const range = document.createRange()
  const last = caret.offsetNode.length - 1
  range.setStart(caret.offsetNode, Math.max(0, Math.min(caret.offset, last)))
  range.setEnd(caret.offsetNode, Math.min(range.startOffset + 1, last + 1))
  return range
}

function isInPlace(content: HTMLElement, place: ReadingPlace | undefined): boolean {
  return place !== undefined && Math.abs(distanceFrom(content, place) ?? Infinity) <= tolerancePx
}

/** How far below its place the line is now, in pixels; undefined when its text is no longer drawn. */
function distanceFrom(content: HTMLElement, { range, topPx }: ReadingPlace): number | undefined {
  const top = range.getClientRects()[0]?.top
  return top === undefined ? undefined : top - upperEdge(content) - topPx
}

/** The upper edge of the view, in pixels: the lower edge of what covers the top of the window. */
function upperEdge(content: HTMLElement): number {
  return Number.parseFloat(getComputedStyle(content).scrollMarginTop) || 0
}
