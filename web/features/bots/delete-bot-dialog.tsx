import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'

export interface DeleteBotDialogProps {
  /** Answers whether it is gone; what failed has been told by then. */
  readonly onDelete: () => Promise<boolean>
  readonly onDeleted: () => void
  readonly onCancel: () => void
}

/** Asks before a bot is deleted (§2.54). */
export function DeleteBotDialog({ onDelete, onDeleted, onCancel }: DeleteBotDialogProps) {
  return (
    <ConfirmDialog
      title="Delete Bot"
      message="Are you sure you want to delete this bot? This action cannot be undone."
      action="Delete"
      onConfirm={onDelete}
      onDone={onDeleted}
      onCancel={onCancel}
    />
  )
}
