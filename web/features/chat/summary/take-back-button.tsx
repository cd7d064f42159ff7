import { useState } from 'react'
import type { Action } from '../../../lib/use-action.ts'
import { Button } from '../../../ui/button/button.tsx'
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx'

export interface TakeBackButtonProps {
  readonly action: Action<void, null>
  /** What happens to the messages after the summary was taken back. */
  readonly message: string
  readonly disabled?: boolean
}

/** Takes back a summary after a confirmation (§26.14). */
export function TakeBackButton({ action, message, disabled }: TakeBackButtonProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button size="small" look="muted" disabled={disabled} onClick={() => setAsking(true)}>
        Take back
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Take back this summary?"
          message={message}
          action="Take back"
          onConfirm={async () => (await action.run()).done}
          onDone={() => setAsking(false)}
          onCancel={() => setAsking(false)}
        />
      )}
    </>
  )
}
