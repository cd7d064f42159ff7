import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { useReadingPlace } from './reading-place.ts'
import { scrollToPlace } from './scroll-to-place.ts'

/** Every button and `<summary>` in a message or in the block of a compaction: a click on it may expand something. */
const buttonSelector = ':is(article, aside) :is(summary, button)'

/**
 * Opens the page at its end and keeps it there while `content` grows or the window changes, until the user
 * scrolls up or expands something, or `leaveEnd` is called. Scrolling back down or `goToEnd` resumes following. While
 * the page does not follow its end, `useReadingPlace` keeps the line at the top. The observer runs between layout and
 * paint, so nothing jumps.
 */
export function useFollowEnd(content: RefObject<HTMLElement | null>) {
  const [following, setFollowing] = useState(true)
  const isFollowing = useRef(true)
  const endScroll = useRef<() => void>(undefined)
  useEffect(() => () => endScroll.current?.(), [])
  const updateFollowing = useCallback((next: boolean) => {
    isFollowing.current = next
    setFollowing(next)
  }, [])
  const goToEnd = useCallback(() => {
    updateFollowing(true)
    // What is drawn at the end may make the page longer or shorter than was estimated, several times.
    endScroll.current?.()
    endScroll.current = scrollToPlace(distanceToEnd)
  }, [updateFollowing])

  const restoredTop = useReadingPlace(content, following)
  useLayoutEffect(() => {
    const element = content.current
    if (element === null) return
    const follow = () => {
      if (isFollowing.current) scrollToEnd()
    }
    follow()
    const observer = new ResizeObserver(follow)
    observer.observe(element)
    // A window that only becomes lower does not resize the content.
    window.addEventListener('resize', follow)
    // An expanded element grows downward. Following the end would move it out of view.
    const pauseOnExpand = (event: MouseEvent) => {
      if (!(event.target instanceof Element) || event.target.closest(buttonSelector) === null) return
      isFollowing.current = false
      requestAnimationFrame(() => requestAnimationFrame(() => updateFollowing(distanceToEnd() <= endZonePx)))
    }
    element.addEventListener('click', pauseOnExpand, { capture: true })
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', follow)
      element.removeEventListener('click', pauseOnExpand, { capture: true })
    }
  }, [updateFollowing, content])

  useEffect(() => {
    let stopWatching = () => {}
    // Wait for the next frame, because the router and the browser also scroll while a screen opens.
    const frame = requestAnimationFrame(() => {
      if (isFollowing.current) scrollToEnd()
      stopWatching = watchScrolling(updateFollowing, restoredTop)
    })
    return () => {
      cancelAnimationFrame(frame)
      stopWatching()
    }
  }, [updateFollowing, restoredTop])

  /** Stops following, because the page is about to be scrolled elsewhere. */
  const leaveEnd = useCallback(() => {
    endScroll.current?.()
    updateFollowing(false)
  }, [updateFollowing])
  return { following, goToEnd, leaveEnd }
}

/** Within this distance from the end, in pixels, the page counts as being at its end. */
export const endZonePx = 24
/** Within this distance from the end, in pixels, scrolling up counts as unintended. */
const maxUnintendedPx = endZonePx / 4

/** The height of the page below the window, in pixels. */
export function distanceToEnd(): number {
  return document.documentElement.scrollHeight - window.innerHeight - window.scrollY
}

function scrollToEnd(): void {
  window.scrollTo(0, document.documentElement.scrollHeight)
}

/**
 * Calls `onChange` with false when the user scrolls up, and with true when the page is scrolled to its end. Scrolling
 * to `restoredTop` is ignored, because `useReadingPlace` did that.
 */
function watchScrolling(
  onChange: (isAtEnd: boolean) => void,
  restoredTop: RefObject<number | undefined>,
): () => void {
  const page = document.documentElement
  let top = window.scrollY
  let height = page.scrollHeight
  const handleScroll = () => {
    // When the page becomes shorter, the browser scrolls up by itself.
    const movedUp = window.scrollY < top - 1 && page.scrollHeight >= height
    const distance = distanceToEnd()
    if (window.scrollY !== restoredTop.current) {
      if (movedUp && distance > maxUnintendedPx) onChange(false)
      else if (distance <= endZonePx) onChange(true)
    }
    top = window.scrollY
    height = page.scrollHeight
  }
  window.addEventListener('scroll', handleScroll, { passive: true })
  return () => window.removeEventListener('scroll', handleScroll)
}
