import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'

/** Pixels from the end within which the page counts as being at its end. */
const endZone = 24

export interface FollowEnd {
  /** False when the reader has scrolled up. */
  readonly following: boolean
  readonly goToEnd: () => void
}

/**
 * Opens the page at its end and keeps it there while `content` grows, until the reader scrolls up; going back down, or
 * `goToEnd`, follows again. The observer runs between layout and paint, so nothing is seen to jump.
 */
export function useFollowEnd(content: RefObject<HTMLElement | null>, ready: boolean): FollowEnd {
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
    if (!ready || element === null) return
    if (follows.current) scrollToEnd()
    const observer = new ResizeObserver(() => {
      if (follows.current) scrollToEnd()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [content, ready])

  useEffect(() => {
    if (!ready) return
    let top = 0
    let height = 0
    const handleScroll = () => {
      const page = document.documentElement
      const rest = page.scrollHeight - window.innerHeight - window.scrollY
      // A page that got shorter moves up by itself; that is not the reader.
      const movedUp = window.scrollY < top - 1 && page.scrollHeight >= height
      if (movedUp && rest > endZone / 4) change(false)
      else if (rest <= endZone) change(true)
      top = window.scrollY
      height = page.scrollHeight
    }
    // What moves the page while a screen opens (the router, the browser's memory) is not the reader.
    const frame = requestAnimationFrame(() => {
      if (follows.current) scrollToEnd()
      top = window.scrollY
      height = document.documentElement.scrollHeight
      window.addEventListener('scroll', handleScroll, { passive: true })
    })
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener('scroll', handleScroll)
    }
  }, [change, ready])

  return { following, goToEnd }
}

function scrollToEnd(): void {
  window.scrollTo(0, document.documentElement.scrollHeight)
}
