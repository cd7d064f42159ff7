import { useEffect, useEffectEvent, useLayoutEffect, useRef, type KeyboardEvent, type RefObject } from 'react'

let isMoving = false

/** Runs `move`, which focuses an element that the user did not choose, so no tooltip opens for that element. */
export function moveFocus(move: () => void): void {
  isMoving = true
  try {
    move()
  } finally {
    isMoving = false
  }
}

/** Whether the current focus event comes from `moveFocus`. */
export function isFocusMoving(): boolean {
  return isMoving
}

/**
 * Moves the focus to the previous or next of the elements that `selector` finds in the element of the event, on ArrowUp
 * or ArrowDown, without wrapping around.
 */
export function moveByArrowKeys(event: KeyboardEvent, selector: string): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || event.nativeEvent.isComposing) return
  const elements = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)]
  const next = elements[elements.findIndex((element) => element === document.activeElement) + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

/**
 * Calls `moveAway` when the calling component is removed while the element of the returned ref has the focus, or
 * contains it. Otherwise nothing would have the focus any more. The element must be mounted and removed together with
 * the component.
 */
export function useFocusAfterRemoval<Removed extends HTMLElement>(
  moveAway: (removed: Removed) => void,
): RefObject<Removed | null> {
  const ref = useRef<Removed>(null)
  const handleRemoval = useEffectEvent(moveAway)
  useLayoutEffect(() => {
    const element = ref.current
    // A layout effect is cleaned up before React removes the element.
    return () => {
      if (element?.contains(document.activeElement) === true) handleRemoval(element)
    }
  }, [])
  return ref
}

/** Calls `moveAway` with the element in `box` that had the focus when it is removed, and nothing else has the focus. */
export function useFocusAfterMove(
  box: RefObject<HTMLElement | null>,
  moveAway: (lost: HTMLElement) => void,
): void {
  /** The element of the box that had the focus last, until the focus goes to another one. */
  const last = useRef<HTMLElement>(undefined)
  useLayoutEffect(() => {
    if (last.current?.isConnected === false && document.activeElement === document.body)
      moveAway(last.current)
  })
  useEffect(() => {
    const element = box.current
    const listening = new AbortController()
    element?.addEventListener(
      'focusin',
      ({ target }) => {
        if (target instanceof HTMLElement) last.current = target
      },
      listening,
    )
    element?.addEventListener(
      'focusout',
      ({ relatedTarget }) => {
        // A removed element loses the focus to nothing.
        if (relatedTarget !== null) last.current = undefined
      },
      listening,
    )
    return () => listening.abort()
  }, [box])
}

/** Moves the focus from an element under a list, which is removed, to the last entry of the list. */
export function focusLastEntry(removed: HTMLElement): void {
  const last = removed.previousElementSibling?.querySelector<HTMLElement>(
    'li:last-child[tabindex], li:last-child a',
  )
  last?.focus()
}
