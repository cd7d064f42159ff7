import type { AuthType, Integration } from '@yonder/contract/integration'
import { titleOfIntegration } from '@yonder/contract/integration-names'
import type { Ref } from 'react'
import type { Form } from '../../../lib/use-form.ts'
import { Field } from '../../../ui/form/field.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { SecretInput, TextInput } from '../../../ui/form/text-input.tsx'
import { selectIntegration, type IntegrationDraft, type IntegrationField } from './integration-draft.ts'

const authTypeNames: Readonly<Record<AuthType, string>> = {
  oauth: 'OAuth (Google Login)',
  api_key: 'API Key',
}

export interface IntegrationFieldsProps {
  readonly offers: readonly string[]
  /** The integration to edit. */
  readonly integration: Integration | undefined
  readonly form: Form<IntegrationDraft, IntegrationField>
}

/**
 * The fields for the integration, its authentication type, and its API key if it needs one.
 */
export function IntegrationFields({ offers, integration, form }: IntegrationFieldsProps) {
  const { draft, problems, change, ref } = form
  const isNew = integration === undefined
  return (
    <>
      <Field label="Integration" required error={problems.name}>
        <Select
          ref={ref('name')}
          // An entry cannot change to another integration; the user adds another entry instead.
          disabled={!isNew}
          value={draft.name}
          onChange={(event) => change(selectIntegration(event.target.value))}
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
          isNew && draft.authType === 'oauth'
            ? "After adding this integration, you'll be redirected to authenticate with the service provider."
            : undefined
        }
      >
        <TextInput
          ref={ref('authType')}
          readOnly
          value={draft.authType === '' ? '' : authTypeNames[draft.authType]}
        />
      </Field>
      {draft.authType === 'api_key' && (
        <KeyField
          stored={integration?.api_key ?? null}
          value={draft.apiKey}
          problem={problems.apiKey}
          controlRef={ref('apiKey')}
          onChange={(apiKey) => change({ apiKey })}
        />
      )}
    </>
  )
}

interface KeyFieldProps {
  /** The mask of the stored key, if a key is stored. */
  readonly stored: string | null
  readonly value: string
  readonly problem: string | undefined
  readonly controlRef: Ref<HTMLInputElement>
  readonly onChange: (value: string) => void
}

function KeyField({ stored, value, problem, controlRef, onChange }: KeyFieldProps) {
  const isStored = stored !== null && value === stored
  return (
    <Field
      label="API Key"
      required
      error={problem}
      hint={isStored ? `Stored: ${stored}. Type to replace it.` : undefined}
    >
      <SecretInput
        isMask={isStored}
        ref={controlRef}
        maxLength={4000}
        data-initial-focus
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  )
}
