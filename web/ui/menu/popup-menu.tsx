import { useEffect, useEffectEvent, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { CloseContext } from './menu.tsx'
import { findByKey } from './use-menu.ts'

/** The least distance from the edges of the window, and the distance from what the menu belongs to. */
const edgePx = 8
const gapPx = 4

/** What a menu opens at: an element, or a point without a size, in pixels of the window. */
export type MenuPlace = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>

/** Returns the place of a menu that opens where the pointer is. */
export function placeOfPointer({ clientX: x, clientY: y }: { clientX: number; clientY: number }): MenuPlace {
  return { left: x, right: x, top: y, bottom: y }
}

export interface PopupMenuProps {
  /** The accessible name. */
  readonly label: string
  readonly at: MenuPlace
  /** Called when the menu closes. `byUser` is false when the focus is already elsewhere, and stays there. */
  readonly onClose: (byUser: boolean) => void
  /** Menu items and menu lines. */
  readonly children: ReactNode
}

/** A menu that is open as long as it is rendered. In the top layer, no scrolling list cuts it off. */
export function PopupMenu({ label, at, onClose, children }: PopupMenuProps) {
  const panel = useRef<HTMLDivElement>(null)
  const items = () => [...(panel.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
  useLayoutEffect(() => {
    const element = panel.current
    if (element === null) return
    element.showPopover?.()
    const { width, height } = element.getBoundingClientRect()
    const isPoint = at.left === at.right
    const left = isPoint ? at.left : at.right - width
    const below = at.bottom + (isPoint ? 0 : gapPx)
    const fitsBelow = below + height + edgePx <= window.innerHeight
    const top = fitsBelow ? below : at.top - (isPoint ? 0 : gapPx) - height
    element.style.left = `${clamp(left, window.innerWidth - width)}px`
    element.style.top = `${clamp(top, window.innerHeight - height)}px`
    element.querySelector<HTMLElement>('[role^="menuitem"]')?.focus({ preventScroll: true })
  }, [at])
  const close = useEffectEvent(onClose)
  useEffect(() => {
    // A click on the trigger closes the menu by itself.
    const isInside = ({ target }: Event) =>
      target instanceof Element &&
      (panel.current?.contains(target) === true ||
        target.closest('[aria-haspopup="menu"][aria-expanded="true"]') !== null)
    const listening = new AbortController()
    const options = { capture: true, signal: listening.signal }
    document.addEventListener(
      'keydown',
      (event) => {
        if (event.key !== 'Escape' || event.isComposing) return
        // Escape closes only the menu, and neither a dialog below it nor a selection.
        event.preventDefault()
        event.stopPropagation()
        close(true)
      },
      options,
    )
    document.addEventListener('pointerdown', (event) => isInside(event) || close(false), options)
    document.addEventListener('scroll', (event) => isInside(event) || close(true), options)
    window.addEventListener('resize', () => close(true), options)
    return () => listening.abort()
  }, [])
  const handleKey = (event: KeyboardEvent) => {
    // The keys of the list behind the menu are not meant.
    event.stopPropagation()
    if (event.key === 'Tab') {
      event.preventDefault()
      onClose(true)
      return
    }
    const next = findByKey(items(), event.key)
    if (next === undefined) return
    event.preventDefault()
    next.focus()
  }
  return (
    <div
      ref={panel}
      popover="manual"
      role="menu"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={handleKey}
      onContextMenu={(event) => event.preventDefault()}
      className="fixed inset-auto m-0 max-h-below-header w-60 max-w-floating animate-appear overflow-y-auto rounded-card bg-surface p-1.5 text-ink shadow-float"
    >
      <CloseContext value={() => onClose(true)}>{children}</CloseContext>
    </div>
  )
}

const clamp = (value: number, most: number): number => Math.max(edgePx, Math.min(value, most - edgePx))
