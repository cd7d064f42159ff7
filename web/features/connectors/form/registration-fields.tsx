import type { Connector } from '@yonder/contract/connector'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Field } from '../../../ui/form/field.tsx'
import { SecretField } from '../../../ui/form/secret-field.tsx'
import { TextInput } from '../../../ui/form/text-input.tsx'
import type { ConnectorDraft } from './connector-draft.ts'

export interface RegistrationFieldsProps {
  readonly draft: ConnectorDraft
  readonly stored: Pick<Connector, 'client_id' | 'client_secret'> | undefined
  readonly addressChanged: boolean
  readonly onChange: (change: Partial<ConnectorDraft>) => void
}

/**
 * The client ID and secret, for the few servers that need a client registered by hand. Collapsed unless the client ID
 * is set.
 */
export function RegistrationFields({ draft, stored, addressChanged, onChange }: RegistrationFieldsProps) {
  const isClientIdRemoved = addressChanged && draft.clientId !== '' && draft.clientId === stored?.client_id
  const [startsOpen] = useState(draft.clientId !== '')
  return (
    <details className="group" open={startsOpen}>
      <summary className="touch-target -mx-1 flex w-fit list-none items-center gap-1 rounded-control px-1 text-sm font-medium text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight size={14} aria-hidden className="transition-transform group-open:rotate-90" />
        Advanced
      </summary>
      <div className="mt-3 ml-1.5 flex flex-col gap-4 border-l border-line pl-4">
        <p className="text-xs text-muted">
          Only for a server with OAuth where you must register this application yourself.
        </p>
        <Field
          label="Client ID"
          hint={
            isClientIdRemoved
              ? 'The address changed, so the stored client ID will be removed when you save.'
              : undefined
          }
        >
          <TextInput
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={draft.clientId}
            onChange={(event) => onChange({ clientId: event.target.value })}
          />
        </Field>
        <SecretField
          label="Client Secret"
          hint="Leave it empty if the server did not issue one."
          stored={stored?.client_secret ?? null}
          addressChanged={addressChanged}
          value={draft.clientSecret}
          onChange={(event) => onChange({ clientSecret: event.target.value })}
        />
      </div>
    </details>
  )
}
