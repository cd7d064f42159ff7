import type { Connector } from '@yonder/contract/connector'
import { ChevronRight } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import { useSaveConnector } from '../../../data/connectors.ts'
import { useForm } from '../../../lib/use-form.ts'
import { EditDialog } from '../../../ui/dialog/form-dialog.tsx'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { SecretField } from '../../../ui/form/secret-field.tsx'
import { TextInput } from '../../../ui/form/text-input.tsx'
import { AllowFields } from './allow-fields.tsx'
import {
  checkConnectorDraft,
  draftOf,
  inputOf,
  isAddressChanged,
  type ConnectorDraft,
  type NewConnector,
} from './connector-draft.ts'
import { HeaderFields } from './header-fields.tsx'

export interface ConnectorFormDialogProps {
  /** The connector to edit; without it the form creates a new connector. */
  readonly connector?: Connector
  /** The name and address that a new connector starts with. */
  readonly prefilled?: NewConnector
  readonly onClose: () => void
}

/** Adds or edits a connector. */
export function ConnectorFormDialog({ connector, prefilled, onClose }: ConnectorFormDialogProps) {
  const save = useSaveConnector(connector)
  const form = useForm<ConnectorDraft, 'name' | 'url' | 'timeLimit'>({
    initial: () => draftOf(connector, prefilled),
    check: checkConnectorDraft,
    submit: async (draft) => {
      if ((await save.run(inputOf(draft, connector))).done) onClose()
    },
  })
  const { draft, problems, change, ref } = form
  const addressChanged = isAddressChanged(draft, connector)

  return (
    <EditDialog
      form={form}
      title={connector === undefined ? 'Add New Connector' : 'Edit Connector'}
      action={connector === undefined ? 'Add Connector' : 'Update Connector'}
      onClose={onClose}
    >
      <Field label="Name" required error={problems.name}>
        <TextInput
          ref={ref('name')}
          autoComplete="off"
          maxLength={200}
          value={draft.name}
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
      <Field label="URL" required hint="URL for the connector" error={problems.url}>
        <TextInput
          ref={ref('url')}
          type="text"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={2000}
          placeholder="http://localhost:8000/mcp"
          value={draft.url}
          onChange={(event) => change({ url: event.target.value })}
        />
      </Field>
      <SecretField
        // For a connector from the catalogue, only the token is missing, or a header.
        data-initial-focus={(prefilled !== undefined && !prefilled.headers) || undefined}
        label="Token (Optional)"
        hint="Authentication token for the connector"
        stored={connector?.token ?? null}
        addressChanged={addressChanged}
        value={draft.token}
        onChange={(event) => change({ token: event.target.value })}
      />
      {connector !== undefined && (
        <AllowFields
          draft={draft}
          tools={connector.tools}
          addressChanged={addressChanged}
          onChange={change}
        />
      )}
      <RegistrationFields draft={draft} stored={connector} addressChanged={addressChanged} onChange={change}>
        <Field
          label="Time limit"
          hint="Seconds that a tool may take without reporting progress. Empty means 60."
          error={problems.timeLimit}
        >
          <TextInput
            ref={ref('timeLimit')}
            inputMode="numeric"
            autoComplete="off"
            placeholder="60"
            maxLength={5}
            value={draft.timeLimit}
            onChange={(event) => change({ timeLimit: event.target.value })}
          />
        </Field>
        <Checkbox
          label="Show pictures to the model"
          hint="Models that can see are given the pictures that its tools return, such as screenshots."
          checked={draft.pictures}
          onChange={(event) => change({ pictures: event.target.checked })}
        />
      </RegistrationFields>
    </EditDialog>
  )
}

interface RegistrationFieldsProps {
  readonly draft: ConnectorDraft
  readonly stored: Pick<Connector, 'client_id' | 'client_secret'> | undefined
  readonly addressChanged: boolean
  readonly onChange: (change: Partial<ConnectorDraft>) => void
  /** The fields for the time limit and pictures. */
  readonly children: ReactNode
}

/**
 * The time limit, whether models see pictures, and the client ID and secret for the few servers that need a client registered by hand. Collapsed
 * unless one of them is set.
 */
function RegistrationFields({ draft, stored, addressChanged, onChange, children }: RegistrationFieldsProps) {
  const isClientIdRemoved = addressChanged && draft.clientId !== '' && draft.clientId === stored?.client_id
  const clientTitle = useId()
  const [startsOpen] = useState(
    draft.clientId !== '' || draft.timeLimit !== '' || !draft.pictures || draft.headers.length > 0,
  )
  return (
    <details className="group" open={startsOpen}>
      <summary className="touch-target -mx-1 flex w-fit list-none items-center gap-1 rounded-control px-1 text-sm font-medium text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight size={14} aria-hidden className="transition-transform group-open:rotate-90" />
        Advanced
      </summary>
      <div className="mt-3 ml-1.5 flex flex-col gap-5 border-l border-line pl-4">
        {children}
        <fieldset aria-labelledby={clientTitle} className="flex flex-col gap-3">
          <div>
            <p id={clientTitle} className="text-sm font-medium">
              OAuth client
            </p>
            <p className="text-xs wrap-anywhere text-muted">
              Only for a server with OAuth where you must register this application yourself, with the
              redirect address {location.origin}/api/connector-oauth/callback.
            </p>
          </div>
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
        </fieldset>
        <HeaderFields
          headers={draft.headers}
          addressChanged={addressChanged}
          onChange={(headers) => onChange({ headers })}
        />
      </div>
    </details>
  )
}
