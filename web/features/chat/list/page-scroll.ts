/** Within this distance from the end, in pixels, the page counts as being at its end. */
export const endZonePx = 24
/** So far the page may move up, in pixels, without the reader having meant it. */
const maxTremorPx = endZonePx / 4

/** Pixels of the page below the window. */
export function distanceToEnd(): number {
  return document.documentElement.scrollHeight - window.innerHeight - window.scrollY
}

export function scrollToEnd(): void {
  window.scrollTo(0, document.documentElement.scrollHeight)
}

/** Calls `onChange` when the reader leaves the end of the page by scrolling up, and when the end is reached again. */
export function watchReader(onChange: (isAtEnd: boolean) => void): () => void {
  const page = document.documentElement
  let top = window.scrollY
  let height = page.scrollHeight
  const handleScroll = () => {
    // A page that became shorter moves up by itself; that is not the reader.
    const movedUp = window.scrollY < top - 1 && page.scrollHeight >= height
    const distance = distanceToEnd()
    if (movedUp && distance > maxTremorPx) onChange(false)
    else if (distance <= endZonePx) onChange(true)
    top = window.scrollY
    height = page.scrollHeight
  }
  window.addEventListener('scroll', handleScroll, { passive: true })
  return () => window.removeEventListener('scroll', handleScroll)
}
