import type { AuthType, Integration } from '@yonder/contract/integration'
import { titleOfIntegration } from '@yonder/contract/integration-names'
import { Field } from '../../../ui/form/field.tsx'
import { SecretInput, TextInput } from '../../../ui/form/text-input.tsx'
import { Select } from '../../../ui/form/select.tsx'
import type { IntegrationProblems } from './check-integration-draft.ts'
import { selectIntegration } from './integration-draft.ts'
import type { IntegrationDraft } from './integration-draft.ts'

const authTypeNames: Readonly<Record<AuthType, string>> = {
  oauth: 'OAuth (Google Login)',
  api_key: 'API Key',
}

export interface IntegrationFieldsProps {
  readonly offers: readonly string[]
  /** The integration that is edited. */
  readonly integration: Integration | undefined
  readonly draft: IntegrationDraft
  readonly problems: IntegrationProblems
  readonly onChange: (draft: IntegrationDraft) => void
}

/** Which integration, how it is authorized, and its key where it has one (§2.85-§2.89). */
export function IntegrationFields({
  offers,
  integration,
  draft,
  problems,
  onChange,
}: IntegrationFieldsProps) {
  const isNew = integration === undefined
  return (
    <>
      <Field label="Integration" required error={problems.name}>
        <Select
          name="name"
          // What an integration is for stays; another one is added beside it.
          disabled={!isNew}
          value={draft.name}
          onChange={(event) => onChange(selectIntegration(event.target.value))}
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
          name="authType"
          readOnly
          value={draft.authType === '' ? '' : authTypeNames[draft.authType]}
        />
      </Field>
      {draft.authType === 'api_key' && (
        <KeyField
          stored={integration?.api_key ?? null}
          value={draft.apiKey}
          problem={problems.apiKey}
          onChange={(apiKey) => onChange({ ...draft, apiKey })}
        />
      )}
    </>
  )
}

interface KeyFieldProps {
  /** The mask of the stored key, when there is one. */
  readonly stored: string | null
  readonly value: string
  readonly problem: string | undefined
  readonly onChange: (value: string) => void
}

function KeyField({ stored, value, problem, onChange }: KeyFieldProps) {
  const isKept = stored !== null && value === stored
  return (
    <Field
      label="API Key"
      required
      error={problem}
      hint={isKept ? `Stored: ${stored}. Type to replace it.` : undefined}
    >
      <SecretInput
        isMask={isKept}
        name="apiKey"
        maxLength={4000}
        initialFocus
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  )
}
