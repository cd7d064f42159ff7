import { useEffectEvent, useLayoutEffect, useRef, type RefObject } from 'react'

/**
 * Calls `moveFocus` when the calling component is removed while the element of the returned ref has the focus, or
 * contains it. Otherwise nothing would have the focus any more. The element must be mounted and removed together with
 * the component.
 */
export function useFocusAfterRemoval<Removed extends HTMLElement>(
  moveFocus: () => void,
): RefObject<Removed | null> {
  const ref = useRef<Removed>(null)
  const handleRemoval = useEffectEvent(moveFocus)
  useLayoutEffect(() => {
    const element = ref.current
    // A layout effect is cleaned up before React removes the element.
    return () => {
      if (element?.contains(document.activeElement) === true) handleRemoval()
    }
  }, [])
  return ref
}
