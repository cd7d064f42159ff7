import { useEffect, useEffectEvent, useRef } from 'react'
import type { Changes } from '../../lib/use-form.ts'
import { dialogStack } from './dialog-layer.ts'
import { Dialog, type DialogProps } from './dialog.tsx'
import { useDiscardQuestion } from './discard-question.tsx'

export interface FormDialogProps extends DialogProps {
  /** With changes, Escape, the backdrop and the close button ask first. */
  readonly changes: Changes
}

/** A dialog with a form. A button such as Cancel calls `onClose` itself and does not ask. */
export function FormDialog({ changes, onClose, ...rest }: FormDialogProps) {
  const { requestClose, question } = useDiscardQuestion(changes, onClose)
  const content = useRef<HTMLDivElement>(null)
  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || changes === 'none') return
    const isTop = dialogStack.top()?.contains(content.current) === true
    if (!isTop || isFilledSearch(event.target)) return
    // The browser closes a dialog without asking when Escape is pressed twice.
    event.preventDefault()
    requestClose()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => handleKey(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
  return (
    <>
      {/* Before the form, so that React removes it first when both close. In the other order the focus would be
          lost. */}
      {question}
      <Dialog {...rest} onClose={requestClose} onForcedClose={onClose}>
        <div ref={content} className="contents">
          {rest.children}
        </div>
      </Dialog>
    </>
  )
}

/** Escape empties a search box first. */
function isFilledSearch(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === 'search' && target.value !== ''
}
