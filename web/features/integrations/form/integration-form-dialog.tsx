import type { AuthType, Integration, IntegrationInput } from '@yonder/contract/integration'
import { authTypeOf, titleOfIntegration } from '@yonder/contract/integration-names'
import { useEffect } from 'react'
import type { SWRResponse } from 'swr'
import { useSaveIntegration } from '../../../data/integrations.ts'
import { useForm, type Form, type Problems } from '../../../lib/use-form.ts'
import { useIsMounted } from '../../../lib/use-is-mounted.ts'
import { useRetry } from '../../../lib/use-retry.ts'
import { focusInDialog } from '../../../ui/dialog/dialog-layer.ts'
import { EditDialog } from '../../../ui/dialog/form-dialog.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { SecretField } from '../../../ui/form/secret-field.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { TextInput } from '../../../ui/form/text-input.tsx'
import { ErrorState } from '../../../ui/states/error-state.tsx'
import { LoadingState } from '../../../ui/states/states.tsx'

interface IntegrationDraft {
  /** Empty until the user selects an integration. It decides the authentication type. */
  readonly name: string
  /** The mask of the stored key until the user types another; the server reads the mask as "unchanged". */
  readonly apiKey: string
}

type IntegrationField = 'name' | 'authType' | 'apiKey'

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
  const isMounted = useIsMounted()
  const save = useSaveIntegration(integration)
  const form = useForm<IntegrationDraft, IntegrationField>({
    initial: () => ({ name: integration?.name ?? '', apiKey: integration?.api_key ?? '' }),
    check: checkDraft,
    submit: async (draft) => {
      const input = inputOf(draft)
      if (!(await save.run(input)).done) return
      if (isMounted()) await onSaved?.(input, isMounted)
      onClose()
    },
    clears: 'all',
  })
  const canSelect = typeof offers === 'object' && offers.length > 0
  return (
    <EditDialog
      form={form}
      title={integration === undefined ? 'Add New Integration' : 'Edit Integration'}
      action={integration === undefined ? 'Add Integration' : 'Update Integration'}
      onClose={onClose}
      placeholder={canSelect ? undefined : <NothingToSelect offers={offers} onRetry={onRetry} />}
    >
      {canSelect && <Fields offers={offers} integration={integration} form={form} />}
    </EditDialog>
  )
}

function checkDraft({ name, apiKey }: IntegrationDraft): Problems<IntegrationField> {
  if (name === '')
    return { name: 'Integration name is required', authType: 'Authentication type is required' }
  return authTypeOf(name) === 'api_key' && apiKey.trim() === ''
    ? { apiKey: 'API key is required for API Key authentication' }
    : {}
}

/** Returns the request body. An API key connects at once; OAuth needs the user's consent first. */
function inputOf({ name, apiKey }: IntegrationDraft): IntegrationInput {
  const key = apiKey.trim()
  return authTypeOf(name) === 'api_key'
    ? { name, auth_type: 'api_key', connected: key !== '', api_key: key }
    : { name, auth_type: 'oauth', connected: false, api_key: null }
}

const authTypeNames: Readonly<Record<AuthType, string>> = {
  oauth: 'OAuth (Google Login)',
  api_key: 'API Key',
}

interface FieldsProps {
  readonly offers: readonly string[]
  readonly integration: Integration | undefined
  readonly form: Form<IntegrationDraft, IntegrationField>
}

/** The fields for the integration, its authentication type, and its API key if it needs one. */
function Fields({ offers, integration, form }: FieldsProps) {
  const { draft, problems, change, ref } = form
  const isNew = integration === undefined
  const authType = draft.name === '' ? undefined : authTypeOf(draft.name)
  useEffect(() => {
    // The options can load after the dialog opened. The first field then gets the focus, if nothing else has it.
    if (document.activeElement === document.body) focusInDialog()
  }, [])
  return (
    <>
      <Field label="Integration" required error={problems.name}>
        <Select
          ref={ref('name')}
          // An entry cannot change to another integration; the user adds another entry instead.
          disabled={!isNew}
          value={draft.name}
          onChange={(event) => change({ name: event.target.value, apiKey: '' })}
        >
          {isNew && <option value="">Select an integration</option>}
          {offers.map((name) => (
            <option key={name} value={name}>
              {titleOfIntegration(name)}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        label="Authentication Type"
        error={problems.authType}
        hint={
          isNew && authType === 'oauth'
            ? "After adding this integration, you'll be redirected to authenticate with the service provider."
            : undefined
        }
      >
        <TextInput
          ref={ref('authType')}
          readOnly
          value={authType === undefined ? '' : authTypeNames[authType]}
        />
      </Field>
      {authType === 'api_key' && (
        <SecretField
          label="API Key"
          required
          error={problems.apiKey}
          ref={ref('apiKey')}
          maxLength={4000}
          data-initial-focus
          stored={integration?.api_key ?? null}
          value={draft.apiKey}
          onChange={(event) => change({ apiKey: event.target.value })}
        />
      )}
    </>
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
    return <ErrorState title="Error loading integrations. Please try again." onRetry={() => void retry()} />
  return <p className="py-4 text-sm text-muted">All available integrations have already been added.</p>
}

/** The names that can be selected, or the state of loading them. */
export type Offers = 'loading' | 'failed' | readonly string[]

type Loadable<Data> = Pick<SWRResponse<Data, Error>, 'data' | 'error'>

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
