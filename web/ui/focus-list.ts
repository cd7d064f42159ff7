import { useState, type KeyboardEvent } from 'react'

/** The elements between which a component moves the focus; their refs register them. */
export interface FocusList {
  /** A ref callback that registers the element while it is mounted. */
  readonly add: (element: HTMLElement | null) => (() => void) | undefined
  /** Returns the elements in document order. */
  readonly list: () => readonly HTMLElement[]
}

export function createFocusList(): FocusList {
  const elements = new Set<HTMLElement>()
  return {
    add: (element) => {
      if (element === null) return undefined
      elements.add(element)
      return () => void elements.delete(element)
    },
    list: () => {
      // Some components, such as the router's Link, do not call the clean-up function of a ref.
      for (const element of elements) if (!element.isConnected) elements.delete(element)
      return [...elements].sort(compareInDocument)
    },
  }
}

export function useFocusList(): FocusList {
  return useState(createFocusList)[0]
}

/** Moves the focus to the previous or next element on ArrowUp or ArrowDown, without wrapping around. */
export function moveByArrowKeys(elements: readonly HTMLElement[], event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || event.nativeEvent.isComposing) return
  const next = elements[elements.findIndex((element) => element === document.activeElement) + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

function compareInDocument(a: HTMLElement, b: HTMLElement): number {
  if (a === b) return 0
  return (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) === 0 ? 1 : -1
}

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
