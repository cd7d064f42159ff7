import type { Integration, IntegrationInput } from '@yonder/contract/integration'
import { useCallback, useId, useState, type SubmitEvent } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { ErrorState, LoadingState } from '../../../ui/states/states.tsx'
import { useInitialFocus, useInitialFocusRef } from '../../../ui/form/initial-focus.ts'
import { useIsOpen } from '../../../lib/use-is-open.ts'
import { checkIntegrationDraft } from './check-integration-draft.ts'
import type { IntegrationProblems } from './check-integration-draft.ts'
import { draftOfIntegration, inputOfIntegration } from './integration-draft.ts'
import type { IntegrationDraft } from './integration-draft.ts'
import { IntegrationFields } from './integration-fields.tsx'
import type { Offers } from './list-offers.ts'
import { useRetry } from '../../../lib/use-retry.ts'

export interface IntegrationFormDialogProps {
  /** The integration to edit; without one the form adds one. */
  readonly integration?: Integration
  /** What can be selected. */
  readonly offers: Offers
  readonly onRetry: () => Promise<unknown>
  /** Answers whether it is stored; what failed has been told by then. */
  readonly onSave: (input: IntegrationInput) => Promise<boolean>
  /** What follows once it is stored, as long as `isWanted`: nothing once the person has left the form. */
  readonly onSaved?: (input: IntegrationInput, isWanted: () => boolean) => Promise<void>
  readonly onClose: () => void
}

/** Adds or edits an integration (§2.83-§2.90). */
export function IntegrationFormDialog(props: IntegrationFormDialogProps) {
  const { integration, offers, onRetry, onSave, onSaved, onClose } = props
  const form = useId()
  const [draft, setDraft] = useState(() => draftOfIntegration(integration))
  const [problems, setProblems] = useState<IntegrationProblems>({})
  const [busy, setBusy] = useState(false)
  const isOpen = useIsOpen()
  const initialFocus = useInitialFocus()

  const change = (next: IntegrationDraft) => {
    setProblems({})
    setDraft(next)
  }

  /** What can be selected may load late: unless the user has moved on in the dialog, its first field gets the focus. */
  const takeFocus = useCallback(
    (element: HTMLFormElement | null) => {
      if (element !== null && document.activeElement === document.body) initialFocus.focus()
    },
    [initialFocus],
  )

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (busy) return
    const found = checkIntegrationDraft(draft)
    setProblems(found)
    const [wrong] = Object.keys(found)
    if (wrong !== undefined) {
      const control = event.currentTarget.elements.namedItem(wrong)
      if (control instanceof HTMLElement) control.focus()
      return
    }
    setBusy(true)
    const input = inputOfIntegration(draft)
    if (!(await onSave(input))) return setBusy(false)
    if (isOpen()) await onSaved?.(input, isOpen)
    onClose()
  }

  const action = integration === undefined ? 'Add Integration' : 'Update Integration'
  const canSelect = typeof offers === 'object' && offers.length > 0
  return (
    <Dialog
      title={integration === undefined ? 'Add New Integration' : 'Edit Integration'}
      initialFocus={initialFocus}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" busy={busy} disabled={!canSelect}>
            {busy ? 'Saving...' : action}
          </Button>
        </>
      }
    >
      {canSelect ? (
        <form
          ref={takeFocus}
          id={form}
          noValidate
          onSubmit={(event) => void submit(event)}
          className="flex flex-col gap-4 pt-1"
        >
          <IntegrationFields
            offers={offers}
            integration={integration}
            draft={draft}
            problems={problems}
            onChange={change}
          />
        </form>
      ) : (
        <NothingToSelect offers={offers} onRetry={onRetry} />
      )}
    </Dialog>
  )
}

function NothingToSelect({ offers, onRetry }: Pick<IntegrationFormDialogProps, 'offers' | 'onRetry'>) {
  const { retrying, retry } = useRetry(onRetry)
  const loading = useInitialFocusRef<HTMLDivElement>('requested')
  if (offers === 'loading' || retrying)
    return (
      <div ref={loading} tabIndex={-1} className="outline-none">
        <LoadingState>Loading available integrations...</LoadingState>
      </div>
    )
  if (offers === 'failed')
    return (
      <ErrorState
        title="Error loading integrations. Please try again."
        retry={{ label: 'Try again', onRetry: () => void retry() }}
      />
    )
  return <p className="py-4 text-sm text-muted">All available integrations have already been added.</p>
}
