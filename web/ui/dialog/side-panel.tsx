import { X } from 'lucide-react'
import { useId, useRef, type ReactNode, type TouchEvent } from 'react'
import { createPortal } from 'react-dom'
import { IconButton } from '../button/icon-button.tsx'
import { classNames } from '../class-names.ts'
import { useBackdropClick, useModal } from './dialog-layer.ts'

export interface SidePanelProps {
  readonly title: string
  readonly size?: 'medium' | 'wide'
  /** Whether the focus may start in a field, which opens the keyboard of a phone. */
  readonly focusesFields?: boolean
  /**
   * Called on Escape, the close button, a click beside the panel and a swipe to the left. The parent must then stop
   * rendering the panel.
   */
  readonly onClose: () => void
  readonly children: ReactNode
}

/** How far a finger moves to the left to close the panel, in pixels. */
const swipePx = 48

/** A modal panel that slides in from the left. */
export function SidePanel({
  title,
  size = 'medium',
  focusesFields = true,
  onClose,
  children,
}: SidePanelProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const backdrop = useBackdropClick(onClose)
  const swipe = useSwipeLeft(onClose)
  useModal(dialog)
  return createPortal(
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      {...backdrop}
      className="fixed inset-0 m-0 size-full max-h-none max-w-none overflow-hidden bg-transparent text-ink"
    >
      <div
        {...swipe}
        className={classNames(
          'flex h-full max-w-full animate-slide [touch-action:pan-y] flex-col bg-surface shadow-float',
          size === 'wide' ? 'w-wide-panel' : 'w-panel',
        )}
      >
        <header className="flex h-header shrink-0 items-center justify-between pr-2 pl-4.5">
          <h2 id={id} className="font-semibold">
            {title}
          </h2>
          <IconButton label="Close" data-initial-focus={!focusesFields || undefined} onClick={onClose}>
            <X size={18} aria-hidden />
          </IconButton>
        </header>
        {children}
      </div>
    </dialog>,
    document.body,
  )
}

/** Returns event handlers that call `onSwipe` when a finger moves to the left, more than up or down. */
function useSwipeLeft(onSwipe: () => void) {
  const start = useRef<Pick<Touch, 'clientX' | 'clientY'>>(undefined)
  return {
    onTouchStart: ({ touches }: TouchEvent) => {
      start.current = touches.length === 1 ? touches[0] : undefined
    },
    onTouchEnd: ({ changedTouches: { 0: touch } }: TouchEvent) => {
      if (start.current === undefined || touch === undefined) return
      const left = start.current.clientX - touch.clientX
      if (left > swipePx && left > 2 * Math.abs(start.current.clientY - touch.clientY)) onSwipe()
    },
  }
}
