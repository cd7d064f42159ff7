import {
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
} from 'react'
import { flushSync } from 'react-dom'
import { dialogStack } from '../dialog/dialog-layer.ts'

/** How long a menu stays open after the pointer has left it. */
const leaveDelayMs = 100

/**
 * Opens and closes a menu. The menu opens on hover, click and keyboard focus; Enter, Space, ArrowDown and ArrowUp also
 * move the focus into it. It closes shortly after the pointer leaves, and on Escape, Tab, a further click, a chosen
 * `MenuItem`, and a press or focus elsewhere.
 */
export function useMenu() {
  const { open, show, hide, root, trigger, isReturning } = useOpening()
  const hover = useHover(open, show, hide)
  const items = () => [...(root.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]

  const enter = (index: 0 | -1) => {
    // The items exist only once the menu is open.
    flushSync(show)
    items().at(index)?.focus()
  }
  const handleFocus = () => {
    if (!isReturning() && trigger.current?.matches(':focus-visible')) show()
  }
  const handleClick = (event: MouseEvent) => {
    const wasOpenedByHover = hover.consumeOpenedByHover()
    // A click without a press comes from Enter, Space or a screen reader.
    if (event.detail === 0) enter(0)
    // After hovering has opened the menu, users often click the trigger. That click must not close the menu.
    else if (open && !wasOpenedByHover) hide()
    else show()
  }
  const handleTriggerKey = (event: KeyboardEvent) => {
    if (event.key === 'Tab') hide()
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    enter(event.key === 'ArrowUp' ? -1 : 0)
  }
  const handleItemKey = (event: KeyboardEvent) => {
    // This returns the focus to the trigger; the browser then moves it on from there.
    if (event.key === 'Tab') hide()
    // When Enter opens the menu and is held down, its repeats must not choose the first item.
    else if (event.repeat && (event.key === 'Enter' || event.key === ' ')) event.preventDefault()
    else {
      const next = findByKey(items(), event.key)
      if (next === undefined) return
      event.preventDefault()
      next.focus()
    }
  }
  const handleBlur = (event: FocusEvent) => {
    if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget)) hide()
  }

  return {
    open,
    close: hide,
    root: {
      ref: root,
      onPointerEnter: hover.enter,
      onPointerMove: hover.move,
      onPointerLeave: hover.leave,
      onBlur: handleBlur,
    },
    trigger: {
      ref: trigger,
      'aria-haspopup': 'menu' as const,
      'aria-expanded': open,
      onFocus: handleFocus,
      onClick: handleClick,
      onKeyDown: handleTriggerKey,
    },
    panel: { role: 'menu', onKeyDown: handleItemKey },
  }
}

function useOpening() {
  const [open, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const trigger = useRef<HTMLButtonElement>(null)
  /** True while the focus returns from the menu to its trigger: this focus must not open the menu again. */
  const returning = useRef(false)

  const hide = () => {
    const inside = root.current?.contains(document.activeElement) === true
    setOpen(false)
    if (!inside || document.activeElement === trigger.current) return
    returning.current = true
    trigger.current?.focus()
    returning.current = false
  }

  const closeByEscape = useEffectEvent((event: globalThis.KeyboardEvent) => {
    if (event.key !== 'Escape' || event.isComposing) return
    // Escape is for a dialog above the menu, if there is one.
    if (dialogStack.top()?.contains(root.current) === false) return
    event.preventDefault()
    // Escape closes only the menu, not the dialog below it.
    event.stopPropagation()
    hide()
  })

  useEffect(() => {
    if (!open) return
    const handlePress = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false)
    }
    // In the capture phase: when the pointer opened the menu, the focus is elsewhere, where Escape can have another
    // effect.
    const handleKey = (event: globalThis.KeyboardEvent) => closeByEscape(event)
    document.addEventListener('pointerdown', handlePress)
    document.addEventListener('keydown', handleKey, true)
    return () => {
      document.removeEventListener('pointerdown', handlePress)
      document.removeEventListener('keydown', handleKey, true)
    }
  }, [open])

  return { open, show: () => setOpen(true), hide, root, trigger, isReturning: () => returning.current }
}

/** Opens the menu on hover by mouse or pen, but not touch, and closes it a moment after the pointer has left. */
function useHover(open: boolean, show: () => void, hide: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** Whether hovering opened the menu, until it is closed or its trigger is clicked. */
  const openedByHover = useRef(false)
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    if (!open) openedByHover.current = false
  }, [open])
  return {
    /** Returns `openedByHover` and resets it. */
    consumeOpenedByHover: () => {
      const wasOpened = openedByHover.current
      openedByHover.current = false
      return wasOpened
    },
    enter: () => clearTimeout(timer.current),
    // Not on pointerenter, which also fires for a resting pointer when something above the trigger disappears, such as
    // a toast.
    move: (event: PointerEvent) => {
      if (open || event.pointerType === 'touch') return
      openedByHover.current = true
      show()
    },
    leave: (event: PointerEvent) => {
      if (event.pointerType === 'touch') return
      clearTimeout(timer.current)
      timer.current = setTimeout(hide, leaveDelayMs)
    },
  }
}

/** Returns the item to which an arrow key, Home or End moves the focus. */
export function findByKey(items: readonly HTMLElement[], key: string): HTMLElement | undefined {
  const at = items.findIndex((item) => item === document.activeElement)
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
