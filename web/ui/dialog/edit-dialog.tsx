import { useId, type ReactNode } from 'react'
import type { Form } from '../../lib/use-form.ts'
import { Button } from '../button/button.tsx'
import type { DialogProps } from './dialog.tsx'
import { FormDialog } from './form-dialog.tsx'

export interface EditDialogProps extends Pick<DialogProps, 'title' | 'onClose'> {
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
