import { useState } from 'react'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'

export interface RevokeShareDialogProps {
  /** Answers whether it is gone; what failed has been told by then. */
  readonly onRevoke: () => Promise<boolean>
  readonly onRevoked: () => void
  readonly onCancel: () => void
}

/** Asks before a link is ended: whoever has it can read nothing any more. */
export function RevokeShareDialog({ onRevoke, onRevoked, onCancel }: RevokeShareDialogProps) {
  const [busy, setBusy] = useState(false)

  const confirm = async () => {
    setBusy(true)
    if (await onRevoke()) onRevoked()
    else setBusy(false)
  }

  return (
    <ConfirmDialog
      title="Revoke Link"
      message="Nobody will be able to read this chat through its link any more. Sharing it again makes another link."
      action="Revoke"
      busy={busy}
      onConfirm={() => void confirm()}
      onCancel={onCancel}
    />
  )
}
