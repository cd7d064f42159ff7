import { useCallback, useLayoutEffect, useRef, useState } from 'react'

/** The number of rows that are rendered beyond each end of the box. */
const spareRows = 8
/** The assumed height of a box that has no height yet. */
const unknownHeightPx = 800

/**
 * Finds the indexes of the first and the last row to render in a scrolling box. All rows have the height `rowHeight`, in
 * pixels.
 */
export function useRowWindow<Box extends HTMLElement>(rowHeight: number) {
  const box = useRef<Box>(null)
  const [range, setRange] = useState({ first: 0, last: 2 * spareRows })
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const update = () => {
      const height = element.clientHeight || unknownHeightPx
      const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - spareRows)
      const last = Math.ceil((element.scrollTop + height) / rowHeight) + spareRows
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }))
    }
    update()
    const observer = new ResizeObserver(update)
    observer.observe(element)
    element.addEventListener('scroll', update, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', update)
    }
  }, [rowHeight])
  /** Scrolls a row into view if needed, together with the row beyond it. */
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

/** Returns the indexes of the rows to render: from `first` to `last`, and the tab stop, which may be outside them. */
export function listRows(first: number, last: number, tabStop: number, count: number): readonly number[] {
  const end = Math.min(last, count - 1)
  const rows = Array.from({ length: Math.max(0, end - first + 1) }, (_, index) => first + index)
  if (tabStop >= 0 && tabStop < first) return [tabStop, ...rows]
  return tabStop > end ? [...rows, tabStop] : rows
}
