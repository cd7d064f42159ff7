import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { formatShortcut } from '../shortcut/shortcut.ts'

/** Milliseconds that the pointer rests before the tooltip comes; the keyboard's focus shows it at once. */
const hoverDelay = 400
/** Pixels between the tooltip, what it belongs to, and the edge of the window. */
const gap = 6

export interface TooltipProps {
  readonly text: string
  /** For example `mod+k`. */
  readonly shortcut?: string | undefined
  readonly children: ReactNode
}

/**
 * Shows what a control does, and its shortcut, when the pointer rests on it or the keyboard reaches it. It repeats the
 * control's own name, so it is hidden from screen readers.
 */
export function Tooltip({ text, shortcut, children }: TooltipProps) {
  const [shown, setShown] = useState(false)
  const anchor = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const hide = () => {
    clearTimeout(timer.current)
    setShown(false)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <span
      ref={anchor}
      role="presentation"
      className="inline-flex"
      onPointerEnter={(event) => {
        if (event.pointerType === 'touch') return
        clearTimeout(timer.current)
        timer.current = setTimeout(() => setShown(true), hoverDelay)
      }}
      onPointerLeave={hide}
      onPointerDown={hide}
      onFocus={(event) => {
        if (event.target.matches(':focus-visible')) setShown(true)
      }}
      onBlur={hide}
      onKeyDown={(event) => {
        if (event.key === 'Escape') hide()
      }}
    >
      {children}
      {shown && <Bubble key={text} text={text} shortcut={shortcut} anchor={anchor} />}
    </span>
  )
}

interface BubbleProps extends Omit<TooltipProps, 'children'> {
  readonly anchor: React.RefObject<HTMLElement | null>
}

function Bubble({ text, shortcut, anchor }: BubbleProps) {
  const bubble = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const element = bubble.current
    const around = anchor.current?.getBoundingClientRect()
    if (element === null || around === undefined) return
    // The top layer, so that neither a dialog nor a scrolling list cuts it off.
    element.showPopover?.()
    const { width, height } = element.getBoundingClientRect()
    const left = around.left + around.width / 2 - width / 2
    const below = around.bottom + gap
    element.style.left = `${Math.max(gap, Math.min(left, document.documentElement.clientWidth - width - gap))}px`
    element.style.top = `${below + height > window.innerHeight ? around.top - height - gap : below}px`
  }, [anchor])
  return (
    <span
      ref={bubble}
      popover="manual"
      aria-hidden
      className="pointer-events-none fixed inset-auto m-0 flex animate-appear items-center gap-2 rounded-control bg-ink px-2 py-1 text-xs whitespace-nowrap text-page"
    >
      {text}
      {shortcut !== undefined && (
        <kbd className="flex gap-0.5 font-sans opacity-70">{formatShortcut(shortcut).join(' ')}</kbd>
      )}
    </span>
  )
}
