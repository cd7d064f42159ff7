import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'

/** Rows beyond the box that are drawn as well. */
const spare = 8
/** Pixels of a box that has no height yet. */
const unknownHeight = 800

export interface RowWindow {
  readonly box: RefObject<HTMLElement | null>
  /** The first and the last row to draw. */
  readonly first: number
  readonly last: number
  readonly bringIntoView: (row: number) => void
}

/** Which rows of a fixed height stand in a box that scrolls. */
export function useRowWindow(rowHeight: number): RowWindow {
  const box = useRef<HTMLElement>(null)
  const [range, setRange] = useState({ first: 0, last: 2 * spare })
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const look = () => {
      const height = element.clientHeight || unknownHeight
      const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - spare)
      const last = Math.ceil((element.scrollTop + height) / rowHeight) + spare
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }))
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [rowHeight])
  const bringIntoView = useCallback(
    (row: number) => {
      const element = box.current
      if (element === null) return
      const top = row * rowHeight
      const bottom = top + 2 * rowHeight
      if (top < element.scrollTop) element.scrollTo(0, top - rowHeight)
      else if (bottom > element.scrollTop + element.clientHeight)
        element.scrollTo(0, bottom - element.clientHeight)
    },
    [rowHeight],
  )
  return { box, ...range, bringIntoView }
}
