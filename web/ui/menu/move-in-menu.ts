import type { KeyboardEvent } from 'react'

/** The items of the menu inside `root`, in their order. */
export function listMenuItems(root: HTMLElement | null): readonly HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
}

/** Moves the focus by arrow keys, Home, End or a first letter; answers whether the key was one of these. */
export function moveInMenu(root: HTMLElement | null, event: KeyboardEvent): boolean {
  const next = findNextItem(listMenuItems(root), event)
  if (next === undefined) return false
  event.preventDefault()
  next.focus()
  return true
}

function findNextItem(items: readonly HTMLElement[], event: KeyboardEvent): HTMLElement | undefined {
  const at = items.findIndex((item) => item === document.activeElement)
  switch (event.key) {
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
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.key === ' ') return undefined
      return [...items.slice(at + 1), ...items.slice(0, at + 1)].find((item) =>
        item.textContent.trim().toLowerCase().startsWith(event.key.toLowerCase()),
      )
  }
}
