import type { Connector } from '@yonder/contract/connector'
import { useSaveConnector } from '../../../data/connectors.ts'
import { useForm, type Form } from '../../../lib/use-form.ts'
import { EditDialog } from '../../../ui/dialog/edit-dialog.tsx'
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
import { RegistrationFields } from './registration-fields.tsx'

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
  const form = useForm<ConnectorDraft, 'name' | 'url'>({
    initial: () => draftOf(connector, prefilled),
    check: checkConnectorDraft,
    submit: async (draft) => {
      if ((await save.run(inputOf(draft, connector))).done) onClose()
    },
  })
  const { draft, change } = form
  const addressChanged = isAddressChanged(draft, connector)

  return (
    <EditDialog
      form={form}
      title={connector === undefined ? 'Add New Connector' : 'Edit Connector'}
      action={connector === undefined ? 'Add Connector' : 'Update Connector'}
      onClose={onClose}
    >
      <AddressFields form={form} />
      <SecretField
        // For a connector from the catalogue, only the token is missing.
        data-initial-focus={prefilled !== undefined || undefined}
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
      <RegistrationFields
        draft={draft}
        stored={connector}
        addressChanged={addressChanged}
        onChange={change}
      />
    </EditDialog>
  )
}

function AddressFields({ form }: { readonly form: Form<ConnectorDraft, 'name' | 'url'> }) {
  const { draft, problems, change, ref } = form
  return (
    <>
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
    </>
  )
}
