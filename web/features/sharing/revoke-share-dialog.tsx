import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'

export interface RevokeShareDialogProps {
  /** Answers whether it is gone; what failed has been told by then. */
  readonly onRevoke: () => Promise<boolean>
  readonly onRevoked: () => void
  readonly onCancel: () => void
}

/** Asks before a link is ended: whoever has it can read nothing any more. */
export function RevokeShareDialog({ onRevoke, onRevoked, onCancel }: RevokeShareDialogProps) {
  return (
    <ConfirmDialog
      title="Revoke Link"
      message="Nobody will be able to read this chat through its link any more. Sharing it again makes another link."
      action="Revoke"
      onConfirm={onRevoke}
      onDone={onRevoked}
      onCancel={onCancel}
    />
  )
}
