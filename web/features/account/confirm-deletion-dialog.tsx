import { isConfirmed } from '@yonder/contract/lib/account-deletion'
import { useId, useState, type SubmitEvent } from 'react'
import { useAccountContents } from '../../data/account.ts'
import { Button } from '../../ui/button/button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Field } from '../../ui/form/field.tsx'
import { TextInput } from '../../ui/form/text-input.tsx'

export interface ConfirmDeletionDialogProps {
  /** Deletes the account. Resolves to the reason when that has failed. */
  readonly onConfirm: (typed: string) => Promise<string | undefined>
  readonly onClose: () => void
}

/** The second step: the words, which wake the red button. Enter does nothing before that. */
export function ConfirmDeletionDialog({ onConfirm, onClose }: ConfirmDeletionDialogProps) {
  const { data, error } = useAccountContents()
  const formId = useId()
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const confirmation = data?.confirmation
  const isReady = confirmation !== undefined && isConfirmed(typed, confirmation)
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isReady || busy) return
    setBusy(true)
    setProblem(undefined)
    setProblem(await onConfirm(typed))
    setBusy(false)
  }
  return (
    <Dialog
      role="alertdialog"
      size="small"
      title="Delete Account"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} look="danger" disabled={!isReady} busy={busy}>
            {busy ? 'Deleting...' : 'Delete'}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => void submit(event)} className="wrap-anywhere">
        <Field label={`Type ${confirmation ?? 'your e-mail'} to delete the account`} error={problem}>
          <TextInput
            dir="auto"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
        {error !== undefined && data === undefined && (
          <p role="alert" className="mt-2 text-xs text-danger">
            What to type could not be loaded. Yonder tries again every five seconds.
          </p>
        )}
      </form>
    </Dialog>
  )
}
