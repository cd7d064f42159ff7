import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react'

/** The space between a toast and the control that it would otherwise cover. */
const gapPx = 8

/** What the user can press. */
const controls = 'button, a, input, select, textarea, summary, label, [tabindex]'

/**
 * Keeps toasts from covering the controls that are being used: the focused one, and the one that was pressed
 * last, because not every browser focuses a pressed button. Layouts change without an event, so the place is checked in
 * each frame while `isShown`.
 */
export function useStayClear(region: RefObject<HTMLElement | null>, isShown: boolean): void {
  const pressed = usePressedControl()
  useLayoutEffect(() => {
    if (!isShown) return
    let offset = 0
    const place = () => {
      const element = region.current
      // A toast that has the focus is being used itself.
      if (element === null || element.contains(document.activeElement)) return
      const used = [document.activeElement, pressed.current]
        .filter((control) => control !== null)
        .filter((control) => control !== document.body && !element.contains(control))
      const next = findOffset(
        element.getBoundingClientRect(),
        offset,
        used.map((control) => control.getBoundingClientRect()),
      )
      if (next === offset) return
      offset = next
      element.style.setProperty('translate', `0 ${offset}px`)
    }
    const placeInFrame = () => {
      place()
      frame = requestAnimationFrame(placeInFrame)
    }
    let frame = 0
    placeInFrame()
    const element = region.current
    return () => {
      cancelAnimationFrame(frame)
      element?.style.removeProperty('translate')
    }
  }, [region, isShown, pressed])
}

/** The control that was pressed last, until another one gets the focus. */
function usePressedControl(): RefObject<Element | null> {
  const pressed = useRef<Element | null>(null)
  useEffect(() => {
    const handlePress = ({ target }: PointerEvent) => {
      pressed.current = target instanceof Element ? target.closest(controls) : null
    }
    const handleFocus = () => {
      pressed.current = null
    }
    document.addEventListener('pointerdown', handlePress, true)
    document.addEventListener('focusin', handleFocus)
    return () => {
      document.removeEventListener('pointerdown', handlePress, true)
      document.removeEventListener('focusin', handleFocus)
    }
  }, [])
  return pressed
}

/**
 * Returns by how many pixels the region has to move down (up when negative) so that it covers no used control. Returns
 * 0 when it covers none in its own place, or when the window has no room below or above them.
 */
function findOffset(region: DOMRect, offset: number, used: readonly DOMRect[]): number {
  const top = region.top - offset
  const bottom = region.bottom - offset
  const isFree = (moved: number) =>
    used.every(
      (control) =>
        control.right <= region.left ||
        control.left >= region.right ||
        control.bottom <= top + moved ||
        control.top >= bottom + moved,
    )
  const fits = (moved: number) => top + moved >= 0 && bottom + moved <= window.innerHeight
  const places = [
    ...used.map((control) => control.bottom + gapPx - top),
    ...used.map((control) => control.top - gapPx - bottom),
  ]
  if (region.height === 0 || isFree(0)) return 0
  return places.find((moved) => fits(moved) && isFree(moved)) ?? 0
}
