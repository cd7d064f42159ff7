import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'
import { distanceToEnd, endZonePx, scrollToEnd, watchReader } from './page-scroll.ts'

/** The elements that may unfold something inside a message. */
const unfolding = 'article summary, article button'

export interface FollowEnd {
  /** False when the reader has scrolled up. */
  readonly following: boolean
  readonly goToEnd: () => void
  /** Stops following, because the page is about to be scrolled elsewhere. */
  readonly leaveEnd: () => void
}

/**
 * Opens the page at its end and keeps it there while `content` grows, until the reader scrolls up. Scrolling back down or
 * `goToEnd` resumes that. The observer runs between layout and paint, so nothing jumps.
 */
export function useFollowEnd(content: RefObject<HTMLElement | null>): FollowEnd {
  const [following, setFollowing] = useState(true)
  const follows = useRef(true)
  const change = useCallback((next: boolean) => {
    follows.current = next
    setFollowing(next)
  }, [])
  const goToEnd = useCallback(() => {
    change(true)
    scrollToEnd()
  }, [change])

  useLayoutEffect(() => {
    const element = content.current
    if (element === null) return
    const follow = () => {
      if (follows.current) scrollToEnd()
    }
    follow()
    const observer = new ResizeObserver(follow)
    observer.observe(element)
    // What the user unfolds grows downward from where they look; the page must not move for it.
    const stay = (event: MouseEvent) => {
      if (!(event.target instanceof Element) || event.target.closest(unfolding) === null) return
      follows.current = false
      requestAnimationFrame(() => requestAnimationFrame(() => change(distanceToEnd() <= endZonePx)))
    }
    element.addEventListener('click', stay, { capture: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('click', stay, { capture: true })
    }
  }, [change, content])

  useEffect(() => {
    let stopWatching = () => {}
    // While a screen opens, the router and the browser move the page, not the reader.
    const frame = requestAnimationFrame(() => {
      if (follows.current) scrollToEnd()
      stopWatching = watchReader(change)
    })
    return () => {
      cancelAnimationFrame(frame)
      stopWatching()
    }
  }, [change])

  const leaveEnd = useCallback(() => change(false), [change])
  return { following, goToEnd, leaveEnd }
}
