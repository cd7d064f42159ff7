/** The target must stay in its place for so many frames, and is followed for at most so many. */
const stillFrames = 8
const maxFrames = 240

/** What the user does to scroll, or that scrolls. */
const userEvents = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/**
 * Scrolls the page until a target is in its place, and again as long as what is drawn around it moves it: the heights of
 * messages are estimates until they are drawn. Ends when the target stays, or when the user presses a key or scrolls.
 * `distance` is how far below its place the target is, in pixels; undefined while it is not drawn. Returns a function
 * that ends it.
 */
export function scrollToPlace(distance: () => number | undefined): () => void {
  const ended = new AbortController()
  const { signal } = ended
  let still = 0
  let frames = 0
  const follow = () => {
    if (signal.aborted) return
    const before = window.scrollY
    const offset = distance()
    if (offset !== undefined && Math.abs(offset) >= 1) window.scrollBy(0, offset)
    // At the end of the page nothing moves either.
    still = offset !== undefined && window.scrollY === before ? still + 1 : 0
    frames += 1
    if (still > stillFrames || frames > maxFrames) ended.abort()
    else requestAnimationFrame(follow)
  }
  follow()
  for (const type of userEvents)
    window.addEventListener(type, () => ended.abort(), { signal, capture: true, passive: true })
  return () => ended.abort()
}
