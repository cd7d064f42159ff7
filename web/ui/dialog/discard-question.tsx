import { useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { ConfirmDialog } from './confirm-dialog.tsx'

export interface DiscardQuestion {
  /** Closes, or asks first when something that the user entered would be lost. */
  readonly requestClose: () => void
  /** The question while it is open. The caller renders it. */
  readonly question: ReactNode
}

/** Asks before a form closes that contains changes (§14.38). */
export function useDiscardQuestion(hasChanges: boolean, onClose: () => void): DiscardQuestion {
  const [isAsking, setAsking] = useState(false)
  return {
    requestClose: () => (hasChanges ? setAsking(true) : onClose()),
    question: isAsking && (
      <ConfirmDialog
        title="Discard changes?"
        message="What you entered has not been saved."
        action="Discard"
        cancel="Keep editing"
        onConfirm={() => Promise.resolve(true)}
        onDone={() => {
          // The question must close before the form, which otherwise could not return the focus.
          flushSync(() => setAsking(false))
          onClose()
        }}
        onCancel={() => setAsking(false)}
      />
    ),
  }
}
