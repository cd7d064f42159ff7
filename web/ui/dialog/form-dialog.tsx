import { useEffect, useEffectEvent, useId, useRef, type ReactNode } from 'react'
import type { Changes, Form } from '../../lib/use-form.ts'
import { Button } from '../button/button.tsx'
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

interface EditDialogProps extends Pick<DialogProps, 'title' | 'onClose'> {
  readonly form: Pick<Form<object, never>, 'changes' | 'pending' | 'onSubmit'>
  /** The text of the submit button. */
  readonly action: string
  /** Further messages and buttons, before Cancel. */
  readonly footer?: ReactNode
  /** Shown instead of the fields, while nothing can be submitted. */
  readonly placeholder?: ReactNode
  /** The fields. */
  readonly children: ReactNode
}

/** Adds or changes an item: a dialog with fields, Cancel and a submit button. */
export function EditDialog({ title, onClose, form, action, footer, placeholder, children }: EditDialogProps) {
  const id = useId()
  return (
    <FormDialog
      changes={form.changes}
      title={title}
      onClose={onClose}
      footer={
        <>
          {footer}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={id}
            look="primary"
            busy={form.pending}
            disabled={placeholder !== undefined}
          >
            {form.pending ? 'Saving...' : action}
          </Button>
        </>
      }
    >
      {placeholder ?? (
        <form id={id} noValidate onSubmit={form.onSubmit} className="flex flex-col gap-4 pt-1">
          {children}
        </form>
      )}
    </FormDialog>
  )
}
