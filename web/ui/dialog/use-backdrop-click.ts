import { useRef, type MouseEvent, type PointerEvent } from 'react'

/**
 * The handlers of a dialog that calls `onClick` for a click on its backdrop, which is the dialog element itself. The
 * browser also sends it the click of a selection that ends beside the panel: so the press must have begun on it.
 */
export function useBackdropClick(onClick: () => void) {
  const began = useRef(false)
  return {
    onPointerDown: (event: PointerEvent) => {
      began.current = event.target === event.currentTarget
    },
    onClick: (event: MouseEvent) => {
      if (began.current && event.target === event.currentTarget) onClick()
    },
  }
}
