import type { Integration, IntegrationInput } from '@yonder/contract/integration'
import { useId } from 'react'
import { useSaveIntegration } from '../../../data/integrations.ts'
import { useForm } from '../../../lib/use-form.ts'
import { useIsMounted } from '../../../lib/use-is-mounted.ts'
import { useRetry } from '../../../lib/use-retry.ts'
import { Button } from '../../../ui/button/button.tsx'
import { focusInDialog } from '../../../ui/dialog/dialog-layer.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { ErrorState } from '../../../ui/states/error-state.tsx'
import { LoadingState } from '../../../ui/states/states.tsx'
import {
  checkIntegrationDraft,
  draftOfIntegration,
  inputOfIntegration,
  type IntegrationDraft,
  type IntegrationField,
} from './integration-draft.ts'
import { IntegrationFields } from './integration-fields.tsx'

export interface IntegrationFormDialogProps {
  /** The integration to edit; without it the form adds one. */
  readonly integration?: Integration
  /** The names that can be selected. */
  readonly offers: Offers
  readonly onRetry: () => Promise<unknown>
  /** Called after saving, while the form is still open; `isWanted` returns false once the user has closed the form. */
  readonly onSaved?: (input: IntegrationInput, isWanted: () => boolean) => Promise<void>
  readonly onClose: () => void
}

/** Adds or edits an integration. */
export function IntegrationFormDialog(props: IntegrationFormDialogProps) {
  const { integration, offers, onRetry, onSaved, onClose } = props
  const id = useId()
  const isMounted = useIsMounted()
  const save = useSaveIntegration(integration)
  const form = useForm<IntegrationDraft, IntegrationField>({
    initial: () => draftOfIntegration(integration),
    check: checkIntegrationDraft,
    submit: async (draft) => {
      const input = inputOfIntegration(draft)
      if (!(await save.run(input)).done) return
      if (isMounted()) await onSaved?.(input, isMounted)
      onClose()
    },
    clears: 'all',
  })

  const action = integration === undefined ? 'Add Integration' : 'Update Integration'
  const canSelect = typeof offers === 'object' && offers.length > 0
  return (
    <FormDialog
      changes={form.changes}
      title={integration === undefined ? 'Add New Integration' : 'Edit Integration'}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} look="primary" busy={form.pending} disabled={!canSelect}>
            {form.pending ? 'Saving...' : action}
          </Button>
        </>
      }
    >
      {canSelect ? (
        <form
          ref={focusFirstField}
          id={id}
          noValidate
          onSubmit={form.onSubmit}
          className="flex flex-col gap-4 pt-1"
        >
          <IntegrationFields offers={offers} integration={integration} form={form} />
        </form>
      ) : (
        <NothingToSelect offers={offers} onRetry={onRetry} />
      )}
    </FormDialog>
  )
}

function NothingToSelect({ offers, onRetry }: Pick<IntegrationFormDialogProps, 'offers' | 'onRetry'>) {
  const { retrying, retry } = useRetry(onRetry)
  if (offers === 'loading' || retrying)
    return (
      <div data-initial-focus tabIndex={-1} className="outline-none">
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

/** The options can load after the dialog opened. The first field then gets the focus, if nothing else has it. */
function focusFirstField(form: HTMLFormElement | null): void {
  if (form !== null && document.activeElement === document.body) focusInDialog()
}

/** The names that can be selected, or the state of loading them. */
export type Offers = 'loading' | 'failed' | readonly string[]

interface Loadable<Data> {
  readonly data?: Data | undefined
  readonly error?: Error | undefined
}

/** Returns the integrations that the user has not added yet. */
export function listOffers(
  types: Loadable<readonly string[]>,
  added: Loadable<readonly Integration[]>,
): Offers {
  if (types.data === undefined || added.data === undefined)
    return types.error === undefined && added.error === undefined ? 'loading' : 'failed'
  const known = new Set(added.data.map(({ name }) => name))
  return types.data.filter((name) => !known.has(name))
}
