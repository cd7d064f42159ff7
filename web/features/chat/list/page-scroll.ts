/** Within this distance from the end, in pixels, the page counts as being at its end. */
export const endZonePx = 24
/** Within this distance from the end, in pixels, scrolling up counts as unintended. */
const maxUnintendedPx = endZonePx / 4

/** The height of the page below the window, in pixels. */
export function distanceToEnd(): number {
  return document.documentElement.scrollHeight - window.innerHeight - window.scrollY
}

export function scrollToEnd(): void {
  window.scrollTo(0, document.documentElement.scrollHeight)
}

/** Calls `onChange` with false when the reader scrolls up from the end of the page, and with true at its end. */
export function watchReader(onChange: (isAtEnd: boolean) => void): () => void {
  const page = document.documentElement
  let top = window.scrollY
  let height = page.scrollHeight
  const handleScroll = () => {
    // A page that becomes shorter scrolls up by itself, without the reader.
    const movedUp = window.scrollY < top - 1 && page.scrollHeight >= height
    const distance = distanceToEnd()
    if (movedUp && distance > maxUnintendedPx) onChange(false)
    else if (distance <= endZonePx) onChange(true)
    top = window.scrollY
    height = page.scrollHeight
  }
  window.addEventListener('scroll', handleScroll, { passive: true })
  return () => window.removeEventListener('scroll', handleScroll)
}
