import { useState } from 'react'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'

export interface DeleteBotDialogProps {
  /** Answers whether it is gone; what failed has been told by then. */
  readonly onDelete: () => Promise<boolean>
  readonly onDeleted: () => void
  readonly onCancel: () => void
}

/** Asks before a bot is deleted (§2.54). */
export function DeleteBotDialog({ onDelete, onDeleted, onCancel }: DeleteBotDialogProps) {
  const [busy, setBusy] = useState(false)

  const confirm = async () => {
    setBusy(true)
    if (await onDelete()) onDeleted()
    else setBusy(false)
  }

  return (
    <ConfirmDialog
      title="Delete Bot"
      message="Are you sure you want to delete this bot? This action cannot be undone."
      action="Delete"
      busy={busy}
      onConfirm={() => void confirm()}
      onCancel={onCancel}
    />
  )
}
