import {
  createContext,
  useContext,
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
import { useFocusList, type FocusList } from '../focus-list.ts'
import { useMenuKeys } from './use-menu-keys.ts'

/** How long a menu stays open after the pointer has left it (§9.12). */
const leaveDelayMs = 100

/** What the items of a menu need of it. */
export interface MenuControls {
  /** The `ref` of every item, for the keyboard. */
  readonly addItem: FocusList['add']
  readonly close: () => void
}

export const MenuContext = createContext<MenuControls>({ addItem: () => undefined, close: () => undefined })

export function useMenuControls(): MenuControls {
  return useContext(MenuContext)
}

/**
 * Opens and closes a menu. It opens by hover, click and keyboard focus; Enter, Space and the arrow keys also move the
 * focus into it. It closes shortly after the pointer leaves, and by Escape, Tab, a choice and a press elsewhere.
 */
export function useMenu() {
  const { open, show, hide, root, trigger, isReturning } = useOpening()
  const items = useFocusList()
  const hover = useHover(open, show, hide)
  const moveInMenu = useMenuKeys(items)

  const enter = (place: 0 | -1) => {
    // The items exist only once the menu is open.
    flushSync(show)
    items.list().at(place)?.focus()
  }
  const handleFocus = () => {
    if (!isReturning() && trigger.current?.matches(':focus-visible')) show()
  }
  const handleClick = (event: MouseEvent) => {
    const wasOpenedByHover = hover.takeOpened()
    // A click without a press comes from Enter, Space or a screen reader.
    if (event.detail === 0) enter(0)
    // The pointer that opened the menu by hovering clicks next, which must not close it.
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
    // Returns the focus to the trigger, from where the browser moves on.
    if (event.key === 'Tab') hide()
    // The Enter that opened the menu must not choose its first item when it is held.
    else if (event.repeat && (event.key === 'Enter' || event.key === ' ')) event.preventDefault()
    else moveInMenu(event)
  }
  const handleBlur = (event: FocusEvent) => {
    if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget)) hide()
  }

  return {
    open,
    controls: { addItem: items.add, close: hide },
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
  /** True while the focus returns from the menu to its trigger, which must not open the menu again. */
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
    // In the capture phase: a pointer opens the menu while the focus is elsewhere, where Escape may mean something.
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

/** Opens for a mouse or pen, not for a finger, and closes a moment after it has left. */
function useHover(open: boolean, show: () => void, hide: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const opened = useRef(false)
  useEffect(() => () => clearTimeout(timer.current), [])
  return {
    /** Whether the pointer opened the menu; true once for each opening. */
    takeOpened: () => {
      const was = opened.current
      opened.current = false
      return was
    },
    enter: () => clearTimeout(timer.current),
    // Not on enter: that also happens to a resting pointer when what covered the trigger goes away, such as a toast.
    move: (event: PointerEvent) => {
      if (open || event.pointerType === 'touch') return
      opened.current = true
      show()
    },
    leave: (event: PointerEvent) => {
      if (event.pointerType === 'touch') return
      clearTimeout(timer.current)
      timer.current = setTimeout(hide, leaveDelayMs)
    },
  }
}
