import { useEffect, useEffectEvent, useRef } from 'react'
import { dialogStack } from './dialog-layer.ts'
import { Dialog, type DialogProps } from './dialog.tsx'
import { useDiscardQuestion } from './discard-question.tsx'

export interface FormDialogProps extends DialogProps {
  /** Whether the user has entered something that is not saved. Escape, the backdrop and the close button then ask first. */
  readonly hasChanges: boolean
}

/** A dialog with a form. A button such as Cancel calls `onClose` itself and does not ask (§14.38). */
export function FormDialog({ hasChanges, onClose, ...rest }: FormDialogProps) {
  const { requestClose, question } = useDiscardQuestion(hasChanges, onClose)
  const content = useRef<HTMLDivElement>(null)
  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || !hasChanges) return
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
      <Dialog {...rest} onClose={requestClose} onForcedClose={onClose}>
        <div ref={content} className="contents">
          {rest.children}
        </div>
      </Dialog>
      {question}
    </>
  )
}

/** Escape empties a search box first. */
function isFilledSearch(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === 'search' && target.value !== ''
}
