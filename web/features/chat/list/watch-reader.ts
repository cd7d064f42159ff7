import { endZone, restOfPage } from './page-end.ts'

/** Pixels that the page may move up without anybody having meant it. */
const tremor = endZone / 4

/** Tells when the reader leaves the end of the page by scrolling up, and when the end is reached again. */
export function watchReader(onChange: (atEnd: boolean) => void): () => void {
  const page = document.documentElement
  let top = window.scrollY
  let height = page.scrollHeight
  const handleScroll = () => {
    // A page that got shorter moves up by itself; that is not the reader.
    const movedUp = window.scrollY < top - 1 && page.scrollHeight >= height
    const rest = restOfPage()
    if (movedUp && rest > tremor) onChange(false)
    else if (rest <= endZone) onChange(true)
    top = window.scrollY
    height = page.scrollHeight
  }
  window.addEventListener('scroll', handleScroll, { passive: true })
  return () => window.removeEventListener('scroll', handleScroll)
}
