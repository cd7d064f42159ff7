import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'
import { endZone, restOfPage, scrollToEnd } from './page-end.ts'
import { watchReader } from './watch-reader.ts'

/** What may unfold something inside a message. */
const unfolding = 'article summary, article button'

export interface FollowEnd {
  /** False when the reader has scrolled up. */
  readonly following: boolean
  readonly goToEnd: () => void
  /** Stays where the reader goes instead of the end. */
  readonly leaveEnd: () => void
}

/**
 * Opens the page at its end and keeps it there while `content` grows, until the reader scrolls up; going back down, or
 * `goToEnd`, follows again. The observer runs between layout and paint, so nothing is seen to jump.
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
    // What a person unfolds opens downward, under their eyes; it is no reason to move the page.
    const stay = (event: MouseEvent) => {
      if (!(event.target instanceof Element) || event.target.closest(unfolding) === null) return
      follows.current = false
      requestAnimationFrame(() => requestAnimationFrame(() => change(restOfPage() <= endZone)))
    }
    element.addEventListener('click', stay, { capture: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('click', stay, { capture: true })
    }
  }, [change, content])

  useEffect(() => {
    let stopWatching = () => {}
    // What moves the page while a screen opens (the router, the browser's memory) is not the reader.
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
