import { X } from 'lucide-react'
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { IconButton } from '../button/icon-button.tsx'
import { classNames } from '../class-names.ts'
import { dialogStack, fields, useBackdropClick, useModal } from './dialog-layer.ts'

export interface DialogProps {
  readonly title: string
  /** A sentence under the title; screen readers announce it when the dialog opens. */
  readonly description?: ReactNode
  /** Called on Escape, the close button and a click on the backdrop. Not rendering the dialog closes it. */
  readonly onClose: () => void
  /**
   * Called instead of `onClose` when the browser has closed the dialog without asking, for example because the user
   * went back twice on a phone.
   */
  readonly onForcedClose?: () => void
  readonly role?: 'dialog' | 'alertdialog'
  readonly size?: 'small' | 'medium'
  /** `top` is for a search dialog, whose list of results grows downwards. */
  readonly place?: 'center' | 'top'
  /** Shows the title only to screen readers, for a dialog whose first element already shows its purpose. */
  readonly hideTitle?: boolean
  readonly children?: ReactNode
  /** The buttons, in a row at the end. */
  readonly footer?: ReactNode
}

/**
 * A modal dialog, open for as long as it is rendered. The native element traps the focus, returns it on close, and
 * makes Escape close only the topmost dialog.
 */
export function Dialog({
  title,
  onClose,
  onForcedClose = onClose,
  role = 'dialog',
  place = 'center',
  ...rest
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const backdrop = useBackdropClick(onClose)
  // The focus is set by hand: React does not render the `autofocus` attribute, which the browser would use.
  useModal(dialog)
  return createPortal(
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      role={role}
      aria-labelledby={`${id}-title`}
      aria-describedby={rest.description === undefined ? undefined : `${id}-description`}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onClose()
      }}
      onClose={(event) => {
        const { target, currentTarget } = event
        // The browser sometimes closes a dialog without a cancel event.
        if (target === currentTarget && !currentTarget.open && dialogStack.top() === currentTarget)
          onForcedClose()
      }}
      {...backdrop}
      className={classNames(
        'fixed inset-0 m-0 size-full max-h-none max-w-none justify-center overflow-hidden bg-transparent p-3 text-ink open:flex sm:p-6 short:p-2',
        place === 'top' ? 'items-start sm:pt-[12vh]' : 'items-center',
      )}
    >
      <Panel id={id} title={title} onClose={onClose} {...rest} />
    </dialog>,
    document.body,
  )
}

type PanelProps = Omit<DialogProps, 'role' | 'place' | 'onForcedClose'> & {
  readonly id: string
}

function Panel({
  id,
  title,
  description,
  size = 'medium',
  hideTitle,
  children,
  footer,
  onClose,
}: PanelProps) {
  const { body, isScrollable } = useScrollableText()
  return (
    <div
      className={classNames(
        'flex max-h-full w-full animate-rise flex-col overflow-hidden rounded-card bg-surface shadow-float',
        size === 'small' ? 'max-w-md' : 'max-w-dialog',
      )}
    >
      <header
        className={
          hideTitle
            ? 'sr-only'
            : 'flex items-start justify-between gap-4 pt-4 pr-3 pb-2 pl-5 sm:pl-6 short:pt-2'
        }
      >
        <h2 id={`${id}-title`} className="min-w-0 pt-1 text-lg font-semibold">
          {title}
        </h2>
        {!hideTitle && (
          <IconButton label="Close" onClick={onClose}>
            <X size={18} aria-hidden />
          </IconButton>
        )}
      </header>
      <div
        ref={body}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long text scrolls with the keyboard too
        tabIndex={isScrollable ? 0 : undefined}
        className={classNames(
          'min-h-0 flex-1 overflow-y-auto -outline-offset-2',
          !hideTitle && 'px-5 pb-5 sm:px-6',
        )}
      >
        {description !== undefined && (
          <p id={`${id}-description`} className="text-sm text-muted">
            {description}
          </p>
        )}
        {children}
      </div>
      {footer !== undefined && (
        <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-4 max-sm:*:flex-auto sm:px-6 short:py-2.5">
          {footer}
        </footer>
      )}
    </div>
  )
}

/**
 * Returns the `ref` of the body, and whether the body overflows without a field in it. It must then be focusable
 * itself, so that the keyboard can scroll it.
 */
function useScrollableText() {
  const body = useRef<HTMLDivElement>(null)
  const [isScrollable, setScrollable] = useState(false)
  useEffect(() => {
    const element = body.current
    if (element === null) return
    // The body grows with its text until it overflows, and shrinks with the window.
    const observer = new ResizeObserver(() =>
      setScrollable(element.scrollHeight > element.clientHeight && element.querySelector(fields) === null),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { body, isScrollable }
}
