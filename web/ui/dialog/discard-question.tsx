import { useState } from 'react'
import { flushSync } from 'react-dom'
import type { Changes } from '../../lib/use-form.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'

const unsavedQuestion = {
  title: 'Discard changes?',
  message: 'What you entered has not been saved.',
  action: 'Discard',
  cancel: 'Keep editing',
} as const

/** The request cannot be cancelled, so closing the form discards what was entered only if saving fails. */
const savingQuestion = {
  title: 'Close while saving?',
  message: 'What you entered is still being saved. If saving fails, it is lost.',
  action: 'Close',
  cancel: 'Keep open',
} as const

/** Asks before a form closes that contains changes. */
export function useDiscardQuestion(changes: Changes, onClose: () => void) {
  const [isAsking, setAsking] = useState(false)
  return {
    /** Closes, or asks first when something that the user entered would be lost. */
    requestClose: () => (changes === 'none' ? onClose() : setAsking(true)),
    /** The question while it is open. The caller renders it. */
    question: isAsking && (
      <ConfirmDialog
        {...(changes === 'saving' ? savingQuestion : unsavedQuestion)}
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
