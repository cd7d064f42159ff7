import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx'

export interface DeleteConnectorDialogProps {
  /** Answers whether it is gone; what failed has been told by then. */
  readonly onDelete: () => Promise<boolean>
  readonly onDeleted: () => void
  readonly onCancel: () => void
}

/** Asks before a connector is deleted (§2.59). */
export function DeleteConnectorDialog({ onDelete, onDeleted, onCancel }: DeleteConnectorDialogProps) {
  return (
    <ConfirmDialog
      title="Delete Connector"
      message="Are you sure you want to delete this connector? This action cannot be undone."
      action="Delete"
      onConfirm={onDelete}
      onDone={onDeleted}
      onCancel={onCancel}
    />
  )
}
