import {
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  type PointerEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { createStore, useStore } from '../../lib/store.ts'
import { dialogStack } from '../dialog/dialog-layer.ts'
import { isFocusMoving } from '../focus-list.ts'
import { formatShortcut } from '../shortcut/shortcut.ts'
import { placeTooltip } from './place-tooltip.ts'

/** How long the pointer rests before a tooltip opens. Keyboard focus opens it at once. */
const hoverDelayMs = 400
/** How long after one tooltip has closed the next one opens without that delay, as along a toolbar. */
const warmMs = 300

/** The tooltip that is open: there is one at a time. */
const openTooltip = createStore<symbol | undefined>(undefined)
/** In milliseconds of `Date.now`. */
let closedAt = Number.NEGATIVE_INFINITY

function closeTooltip(tooltip: symbol): void {
  if (openTooltip.get() !== tooltip) return
  closedAt = Date.now()
  openTooltip.set(undefined)
}

export interface TooltipProps {
  readonly text: string
  /** For example `mod+k`. */
  readonly shortcut?: string | undefined
  readonly children: ReactNode
}

/**
 * Shows the name of a control, and its shortcut, when the pointer rests on it or the keyboard reaches it (WCAG 1.4.13).
 * It repeats the control's accessible name, so it is hidden from screen readers.
 */
export function Tooltip({ text, shortcut, children }: TooltipProps) {
  const anchor = useRef<HTMLSpanElement>(null)
  const isPressed = useRef(false)
  const { isOpen, open, openSoon, close } = useTooltip()
  return (
    <span
      ref={anchor}
      role="presentation"
      className="inline-flex"
      onPointerEnter={openSoon}
      // The bubble is a child, so moving onto it does not leave.
      onPointerLeave={close}
      onPointerDown={() => {
        isPressed.current = true
        close()
      }}
      onPointerUp={() => {
        isPressed.current = false
      }}
      onFocus={(event) => {
        // The focus that a press brings opens nothing: Escape after a click belongs to what was clicked.
        if (!isPressed.current && event.target.matches(':focus-visible') && !isFocusMoving()) open()
      }}
      onBlur={close}
    >
      {children}
      {isOpen && <Bubble key={text} text={text} shortcut={shortcut} anchor={anchor} onClose={close} />}
    </span>
  )
}

function useTooltip() {
  const [self] = useState(() => Symbol('tooltip'))
  const isOpen = useStore(openTooltip, (tooltip) => tooltip === self)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      closeTooltip(self)
    },
    [self],
  )
  const open = () => openTooltip.set(self)
  const openSoon = (event: PointerEvent) => {
    if (event.pointerType === 'touch') return
    clearTimeout(timer.current)
    timer.current = setTimeout(open, Date.now() - closedAt < warmMs ? 0 : hoverDelayMs)
  }
  const close = () => {
    clearTimeout(timer.current)
    closeTooltip(self)
  }
  return { isOpen, open, openSoon, close }
}

interface BubbleProps extends Omit<TooltipProps, 'children'> {
  readonly anchor: RefObject<HTMLElement | null>
  readonly onClose: () => void
}

function Bubble({ text, shortcut, anchor, onClose }: BubbleProps) {
  const bubble = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (bubble.current === null || anchor.current === null) return
    // In the top layer neither a dialog nor a scrolling list cuts it off.
    bubble.current.showPopover?.()
    placeTooltip(bubble.current, anchor.current)
  }, [anchor])
  useCloseFromOutside(anchor, onClose)
  return (
    // The padding joins the bubble to its control, so that the pointer does not leave on its way.
    <span
      ref={bubble}
      popover="manual"
      aria-hidden
      className="fixed inset-auto m-0 max-w-floating animate-appear bg-transparent py-1.5"
    >
      <span className="flex items-center gap-2 rounded-control bg-ink px-2 py-1 text-xs text-page wrap-anywhere">
        {text}
        {shortcut !== undefined && (
          <kbd className="shrink-0 font-sans opacity-70">{formatShortcut(shortcut).join(' ')}</kbd>
        )}
      </span>
    </span>
  )
}

/** Closes on Escape wherever the focus is, when the control moves away, and when a dialog covers it. */
function useCloseFromOutside(anchor: RefObject<HTMLElement | null>, onClose: () => void): void {
  const close = useEffectEvent(onClose)
  useEffect(() => {
    const before = anchor.current?.getBoundingClientRect()
    const handleKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing) return
      // It closes the tooltip and nothing beneath it: neither a dialog nor, by its shortcut, a reply.
      event.preventDefault()
      event.stopPropagation()
      close()
    }
    const handleMove = () => {
      const now = anchor.current?.getBoundingClientRect()
      if (now?.top !== before?.top || now?.left !== before?.left) close()
    }
    const handleDialog = () => {
      if (dialogStack.top()?.contains(anchor.current) === false) close()
    }
    const unsubscribe = dialogStack.subscribe(handleDialog)
    document.addEventListener('keydown', handleKey, true)
    document.addEventListener('scroll', handleMove, { capture: true, passive: true })
    window.addEventListener('resize', handleMove)
    return () => {
      unsubscribe()
      document.removeEventListener('keydown', handleKey, true)
      document.removeEventListener('scroll', handleMove, { capture: true })
      window.removeEventListener('resize', handleMove)
    }
  }, [anchor])
}
