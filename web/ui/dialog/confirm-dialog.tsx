import { useState } from 'react'
import { Button } from '../button/button.tsx'
import { Dialog } from './dialog.tsx'

export interface ConfirmDialogProps {
  readonly title: string
  readonly message: string
  /** What the confirming button says, for example 'Delete'. */
  readonly action: string
  /** Answers whether it is done; what failed has been told by then. */
  readonly onConfirm: () => Promise<boolean>
  readonly onDone: () => void
  readonly onCancel: () => void
}

/** Asks before something happens that cannot be taken back. The focus starts on Cancel. */
export function ConfirmDialog({ title, message, action, onConfirm, onDone, onCancel }: ConfirmDialogProps) {
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
          <Button initialFocus onClick={onCancel}>
            Cancel
          </Button>
          <Button look="danger" busy={busy} onClick={() => void confirm()}>
            {action}
          </Button>
        </>
      }
    />
  )
}
