import { X } from 'lucide-react'
import { useId, useRef, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { IconButton } from '../button/icon-button.tsx'
import { useBackdropClick, useModal } from './dialog-layer.ts'

export interface SidePanelProps {
  readonly title: string
  /** Called on Escape, the close button and a click beside the panel. The parent must then stop rendering the panel. */
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A modal panel of 280 px that slides in from the left. */
export function SidePanel({ title, onClose, children }: SidePanelProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const backdrop = useBackdropClick(onClose)
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
      <div className="flex h-full w-panel max-w-full animate-slide flex-col bg-surface shadow-float">
        <header className="flex h-header shrink-0 items-center justify-between pr-2 pl-4.5">
          <h2 id={id} className="font-semibold">
            {title}
          </h2>
          <IconButton label="Close" onClick={onClose}>
            <X size={18} aria-hidden />
          </IconButton>
        </header>
        {children}
      </div>
    </dialog>,
    document.body,
  )
}
