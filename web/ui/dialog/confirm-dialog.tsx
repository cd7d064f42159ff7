import { useState, type ReactNode } from 'react'
import { Button } from '../button/button.tsx'
import { Dialog } from './dialog.tsx'

export interface ConfirmDialogProps {
  readonly title: string
  readonly message: ReactNode
  /** The text of the confirming button, for example 'Delete'. */
  readonly action: string
  /** The look of the confirming button. Default: `danger`, for an action that cannot be undone. */
  readonly look?: 'danger' | 'primary'
  /** The text of the other button. Default: 'Cancel'. */
  readonly cancel?: string
  /** Returns whether the action succeeded; it reports a failure to the user itself. */
  readonly onConfirm: () => Promise<boolean>
  readonly onDone: () => void
  readonly onCancel: () => void
  /** A choice about the action. */
  readonly children?: ReactNode
}

/** Asks the user to confirm an action, most often one that cannot be undone. The focus starts on Cancel. */
export function ConfirmDialog({
  title,
  message,
  action,
  look = 'danger',
  cancel = 'Cancel',
  onConfirm,
  onDone,
  onCancel,
  children,
}: ConfirmDialogProps) {
  const [busy, setBusy] = useState(false)

  const confirm = async () => {
    setBusy(true)
    if (await onConfirm()) onDone()
    else setBusy(false)
  }

  return (
    <Dialog
      role="alertdialog"
      size="small"
      title={title}
      description={message}
      onClose={onCancel}
      footer={
        <>
          <Button data-initial-focus onClick={onCancel}>
            {cancel}
          </Button>
          <Button look={look} busy={busy} onClick={() => void confirm()}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
