import { useState } from 'react'
import type { Action } from '../../../lib/api/use-action.ts'
import { Button } from '../../../ui/button/button.tsx'
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx'

export interface RemoveSummaryButtonProps {
  readonly action: Action<void, null>
  /** What the removal changes. */
  readonly message: string
  readonly disabled?: boolean
}

/** Removes a summary after a confirmation. */
export function RemoveSummaryButton({ action, message, disabled }: RemoveSummaryButtonProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button size="small" look="muted" disabled={disabled} onClick={() => setAsking(true)}>
        Remove summary
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Remove this summary?"
          message={message}
          action="Remove"
          onConfirm={async () => (await action.run()).done}
          onDone={() => setAsking(false)}
          onCancel={() => setAsking(false)}
        />
      )}
    </>
  )
}
