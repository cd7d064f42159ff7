import { useRef, type KeyboardEvent } from 'react'
import type { FocusList } from '../focus-list.ts'

/** Letters typed within this time of each other form one search text. */
const typeaheadMs = 500

/**
 * Returns a key handler that moves the focus between items: by arrow keys, Home, End and the first letters of an item.
 */
export function useMenuKeys({ list }: FocusList): (event: KeyboardEvent) => void {
  const typed = useRef({ text: '', at: 0 })

  const type = (letter: string): string => {
    const isNew = performance.now() - typed.current.at > typeaheadMs
    const text = isNew ? letter : typed.current.text + letter
    typed.current = { text, at: performance.now() }
    return text
  }

  return (event) => {
    const items = list()
    const next = isLetter(event)
      ? findByText(items, type(event.key.toLowerCase()))
      : findByKey(items, event.key)
    if (next === undefined) return
    event.preventDefault()
    next.focus()
  }
}

function isLetter(event: KeyboardEvent): boolean {
  return event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey
}

function findByKey(items: readonly HTMLElement[], key: string): HTMLElement | undefined {
  const at = findFocused(items)
  switch (key) {
    case 'ArrowDown':
    case 'ArrowRight':
      return items[(at + 1) % items.length]
    case 'ArrowUp':
    case 'ArrowLeft':
      return items.at(at <= 0 ? -1 : at - 1)
    case 'Home':
      return items[0]
    case 'End':
      return items.at(-1)
    default:
      return undefined
  }
}

/**
 * Finds an item by its beginning. One letter, also a repeated one, finds the next item; several different letters can
 * also find the focused one.
 */
function findByText(items: readonly HTMLElement[], typed: string): HTMLElement | undefined {
  const isRepeated = typed === typed.charAt(0).repeat(typed.length)
  const text = isRepeated ? typed.charAt(0) : typed
  const start = findFocused(items) + (isRepeated ? 1 : 0)
  return [...items.slice(start), ...items.slice(0, start)].find((item) =>
    item.textContent.trim().toLowerCase().startsWith(text),
  )
}

function findFocused(items: readonly HTMLElement[]): number {
  return items.findIndex((item) => item === document.activeElement)
}
