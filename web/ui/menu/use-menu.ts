import {
  createContext,
  useContext,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from 'react'
import { dialogStack } from '../dialog/dialog-layer.ts'

export const MenuContext = createContext<() => void>(() => undefined)

/** Returns the function that closes the menu of the calling item. */
export function useMenuClose(): () => void {
  return useContext(MenuContext)
}

/** Milliseconds that a menu stays after the pointer has left it (§9.12). */
const leaveDelay = 100

/**
 * How a menu opens and closes: by hover, click and the keyboard's focus; it closes shortly after the pointer leaves,
 * by Escape wherever the focus is, by Tab, by a choice and by a press elsewhere.
 */
export function useMenu() {
  const { open, show, hide, root, trigger, returning } = useOpening()
  const hover = useHover(open, show, hide)

  const focus = () => {
    if (!returning.current && trigger.current?.matches(':focus-visible')) show()
  }
  const click = () => {
    // The pointer that opened it by hovering clicks next: that click keeps it.
    const byHover = hover.takeOpened()
    if (open && !byHover) hide()
    else show()
  }
  const pressKey = (event: KeyboardEvent) => {
    if (event.key === 'Tab') hide()
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    show()
    const place = event.key === 'ArrowUp' ? -1 : 0
    // The items are there with the next frame.
    requestAnimationFrame(() => listMenuItems(root.current).at(place)?.focus())
  }
  const moveOrLeave = (event: KeyboardEvent) => {
    if (!moveInMenu(root.current, event) && event.key === 'Tab') hide()
  }

  return {
    open,
    hide,
    root: {
      ref: root,
      onPointerEnter: hover.enter,
      onPointerMove: hover.move,
      onPointerLeave: hover.leave,
    },
    trigger: {
      ref: trigger,
      'aria-haspopup': 'menu' as const,
      'aria-expanded': open,
      onFocus: focus,
      onClick: click,
      onKeyDown: pressKey,
    },
    panel: { role: 'menu', onKeyDown: moveOrLeave },
  }
}

function useOpening() {
  const [open, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const trigger = useRef<HTMLButtonElement>(null)
  /** Set while the focus comes back from the menu itself, which must not open it again. */
  const returning = useRef(false)

  const hide = () => {
    const inside = root.current?.contains(document.activeElement) === true
    setOpen(false)
    if (!inside || document.activeElement === trigger.current) return
    returning.current = true
    trigger.current?.focus()
    returning.current = false
  }

  const escape = useEffectEvent((event: globalThis.KeyboardEvent) => {
    if (event.key !== 'Escape' || event.isComposing) return
    // A dialog that has opened over the menu comes first.
    if (dialogStack.top()?.contains(root.current) === false) return
    event.preventDefault()
    // It closes the menu and nothing beneath it.
    event.stopPropagation()
    hide()
  })

  useEffect(() => {
    if (!open) return
    const handlePress = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false)
    }
    // First of all: a pointer opens it while the focus is elsewhere, where Escape may mean something.
    const handleKey = (event: globalThis.KeyboardEvent) => escape(event)
    document.addEventListener('pointerdown', handlePress)
    document.addEventListener('keydown', handleKey, true)
    return () => {
      document.removeEventListener('pointerdown', handlePress)
      document.removeEventListener('keydown', handleKey, true)
    }
  }, [open])

  return { open, show: () => setOpen(true), hide, root, trigger, returning }
}

/** Opens under a mouse or pen, not under a finger, and closes a moment after it has left. */
function useHover(open: boolean, show: () => void, hide: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const opened = useRef(false)
  useEffect(() => () => clearTimeout(timer.current), [])
  return {
    /** Whether it was the pointer that opened the menu; asked once for each opening. */
    takeOpened: () => {
      const was = opened.current
      opened.current = false
      return was
    },
    enter: () => clearTimeout(timer.current),
    // A pointer that rests enters too when what lay over the trigger goes away, such as a message.
    move: (event: PointerEvent) => {
      if (open || event.pointerType === 'touch') return
      opened.current = true
      show()
    },
    leave: (event: PointerEvent) => {
      if (event.pointerType === 'touch') return
      clearTimeout(timer.current)
      timer.current = setTimeout(hide, leaveDelay)
    },
  }
}

/** The items of the menu inside `root`, in their order. */
function listMenuItems(root: HTMLElement | null): readonly HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
}

/** Moves the focus by arrow keys, Home, End or a first letter; answers whether the key was one of these. */
function moveInMenu(root: HTMLElement | null, event: KeyboardEvent): boolean {
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
