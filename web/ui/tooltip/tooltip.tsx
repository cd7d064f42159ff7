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
import { isFocusMoving } from '../focus.ts'
import { formatShortcut } from '../shortcut/shortcut.ts'

/** A tooltip opens when the pointer has been on its control for this long. Keyboard focus opens it at once. */
const hoverDelayMs = 400
/** For this long after a tooltip closes, the next one opens without delay, for example along a toolbar. */
const skipDelayMs = 300

/** The open tooltip; only one is open at a time. */
const openTooltip = createStore<symbol | undefined>(undefined)
/** When the last tooltip closed, as a `Date.now` time in milliseconds. */
let closedAt = Number.NEGATIVE_INFINITY

function closeTooltip(tooltip: symbol): void {
  if (openTooltip.get() !== tooltip) return
  closedAt = Date.now()
  openTooltip.set(undefined)
}

export interface TooltipProps {
  readonly text: ReactNode
  /** For example `mod+k`. */
  readonly shortcut?: string | undefined
  /** Whether the control is part of a line of text and can itself have several lines. */
  readonly inline?: boolean
  /** Whether a press opens the tooltip, also on touch screens. For a control whose only purpose is to show the text. */
  readonly opensOnPress?: boolean
  readonly children: ReactNode
}

/**
 * Shows a text about a control, such as its name and shortcut or the address of a link, when the pointer stays on the
 * control or the keyboard reaches it (WCAG 1.4.13). The text is hidden from screen readers, which get the same
 * information from the control.
 */
export function Tooltip({ text, shortcut, inline = false, opensOnPress = false, children }: TooltipProps) {
  const anchor = useRef<HTMLSpanElement>(null)
  const isPressed = useRef(false)
  const { isOpen, open, openAfterDelay, close } = useTooltip()
  const endPress = () => {
    isPressed.current = false
  }
  return (
    <span
      ref={anchor}
      role="presentation"
      className={inline ? undefined : 'inline-flex'}
      onPointerEnter={openAfterDelay}
      // The bubble is a child element, so moving the pointer onto it fires no pointerleave.
      onPointerLeave={() => {
        // A press may end beside the control, where no pointerup arrives.
        endPress()
        close()
      }}
      onPointerDown={() => {
        isPressed.current = true
        close()
      }}
      onPointerUp={endPress}
      onPointerCancel={endPress}
      onClick={opensOnPress ? open : undefined}
      onFocus={(event) => {
        // A press that focuses the control does not open the tooltip, because the tooltip would prevent Escape from
        // reaching the page.
        if (!isPressed.current && event.target.matches(':focus-visible') && !isFocusMoving()) open()
      }}
      onBlur={close}
    >
      {children}
      {isOpen && (
        <Bubble
          key={typeof text === 'string' ? text : undefined}
          text={text}
          shortcut={shortcut}
          anchor={anchor}
          onClose={close}
        />
      )}
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
  const openAfterDelay = (event: PointerEvent) => {
    if (event.pointerType === 'touch') return
    clearTimeout(timer.current)
    timer.current = setTimeout(open, Date.now() - closedAt < skipDelayMs ? 0 : hoverDelayMs)
  }
  const close = () => {
    clearTimeout(timer.current)
    closeTooltip(self)
  }
  return { isOpen, open, openAfterDelay, close }
}

interface BubbleProps extends Pick<TooltipProps, 'text' | 'shortcut'> {
  readonly anchor: RefObject<HTMLElement | null>
  readonly onClose: () => void
}

function Bubble({ text, shortcut, anchor, onClose }: BubbleProps) {
  const bubble = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (bubble.current === null || anchor.current === null) return
    // A popover is in the top layer, so neither a dialog nor a scrolling list cuts it off.
    bubble.current.showPopover?.()
    placeTooltip(bubble.current, anchor.current)
  }, [anchor])
  useCloseFromOutside(anchor, onClose)
  return (
    // Padding instead of a gap, so that the pointer can move from the control to the bubble without leaving the
    // tooltip.
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

/**
 * Closes a tooltip on Escape wherever the focus is, when scrolling or resizing moves its control, when the user presses
 * elsewhere, and when a dialog covers the control.
 */
function useCloseFromOutside(anchor: RefObject<HTMLElement | null>, onClose: () => void): void {
  const close = useEffectEvent(onClose)
  useEffect(() => {
    const before = anchor.current?.getBoundingClientRect()
    const handleKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing) return
      // Escape closes only the tooltip. It must not close the dialog below the tooltip too, or stop a reply.
      event.preventDefault()
      event.stopPropagation()
      close()
    }
    const handleMove = () => {
      const now = anchor.current?.getBoundingClientRect()
      if (now?.top !== before?.top || now?.left !== before?.left) close()
    }
    const handlePress = (event: globalThis.PointerEvent) => {
      if (event.target instanceof Node && anchor.current?.contains(event.target) === false) close()
    }
    const handleDialog = () => {
      if (dialogStack.top()?.contains(anchor.current) === false) close()
    }
    const unsubscribe = dialogStack.subscribe(handleDialog)
    document.addEventListener('keydown', handleKey, true)
    document.addEventListener('pointerdown', handlePress, true)
    document.addEventListener('scroll', handleMove, { capture: true, passive: true })
    window.addEventListener('resize', handleMove)
    return () => {
      unsubscribe()
      document.removeEventListener('keydown', handleKey, true)
      document.removeEventListener('pointerdown', handlePress, true)
      document.removeEventListener('scroll', handleMove, { capture: true })
      window.removeEventListener('resize', handleMove)
    }
  }, [anchor])
}

/** The smallest space between a tooltip and the left or right edge of the window. */
const minMarginPx = 6

/** Puts a tooltip below its control, or above where there is no room below, within the window if it fits. */
export function placeTooltip(bubble: HTMLElement, control: HTMLElement): void {
  const anchor = control.getBoundingClientRect()
  const { width, height } = bubble.getBoundingClientRect()
  const maxLeft = document.documentElement.clientWidth - width - minMarginPx
  const maxTop = window.innerHeight - height
  const left = anchor.left + anchor.width / 2 - width / 2
  const top = anchor.bottom > maxTop ? anchor.top - height : anchor.bottom
  bubble.style.left = `${Math.max(minMarginPx, Math.min(left, maxLeft))}px`
  bubble.style.top = `${Math.max(0, Math.min(top, maxTop))}px`
}
