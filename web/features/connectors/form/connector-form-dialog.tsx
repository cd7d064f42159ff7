import type { Connector, ConnectorInput } from '@yonder/contract/connector'
import { useId, useState, type SubmitEvent } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { TextInput } from '../../../ui/form/text-input.tsx'
import { AllowFields } from '../configure/allow-fields.tsx'
import { checkConnectorDraft } from './check-connector-draft.ts'
import type { DraftProblems } from './check-connector-draft.ts'
import { draftOf, inputOf, isMoved } from './connector-draft.ts'
import type { ConnectorDraft, NewConnector } from './connector-draft.ts'
import { RegistrationFields } from './registration-fields.tsx'
import { SecretField } from './secret-field.tsx'

export interface ConnectorFormDialogProps {
  /** The connector to edit; without one the form makes a new one. */
  readonly connector?: Connector
  /** What a new one starts with. */
  readonly known?: NewConnector
  /** Answers whether it is stored; what failed has been told by then. */
  readonly onSave: (input: ConnectorInput) => Promise<boolean>
  readonly onClose: () => void
}

/** Adds or edits a connector (§2.60-§2.64, §2.74). */
export function ConnectorFormDialog({ connector, known, onSave, onClose }: ConnectorFormDialogProps) {
  const form = useId()
  const [draft, setDraft] = useState(() => draftOf(connector, known))
  const [problems, setProblems] = useState<DraftProblems>({})
  const [busy, setBusy] = useState(false)
  const moved = isMoved(draft, connector)

  const change = (part: Partial<ConnectorDraft>) => {
    setProblems(({ name, url }) => ({
      name: 'name' in part ? undefined : name,
      url: 'url' in part ? undefined : url,
    }))
    setDraft((current) => ({ ...current, ...part }))
  }

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (busy) return
    const found = checkConnectorDraft(draft)
    setProblems(found)
    const [wrong] = Object.keys(found)
    if (wrong !== undefined) {
      focusControl(event.currentTarget, wrong)
      return
    }
    setBusy(true)
    if (await onSave(inputOf(draft, connector))) onClose()
    else setBusy(false)
  }

  const action = connector === undefined ? 'Add Connector' : 'Update Connector'
  return (
    <Dialog
      title={connector === undefined ? 'Add New Connector' : 'Edit Connector'}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" busy={busy}>
            {busy ? 'Saving...' : action}
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        onSubmit={(event) => void submit(event)}
        className="flex flex-col gap-4 pt-1"
      >
        <AddressFields draft={draft} problems={problems} onChange={change} />
        <SecretField
          // A connector from the catalogue that comes here lacks nothing else.
          focusFirst={known !== undefined}
          label="Token (Optional)"
          hint="Authentication token for the connector"
          stored={connector?.token ?? null}
          moved={moved}
          value={draft.token}
          onChange={(token) => change({ token })}
        />
        {connector !== undefined && <AllowFields draft={draft} moved={moved} onChange={change} />}
        <RegistrationFields draft={draft} stored={connector} moved={moved} onChange={change} />
      </form>
    </Dialog>
  )
}

function AddressFields({
  draft,
  problems,
  onChange,
}: {
  readonly draft: ConnectorDraft
  readonly problems: DraftProblems
  readonly onChange: (change: Partial<ConnectorDraft>) => void
}) {
  return (
    <>
      <Field label="Name" required error={problems.name}>
        <TextInput
          name="name"
          autoComplete="off"
          maxLength={200}
          value={draft.name}
          onChange={(event) => onChange({ name: event.target.value })}
        />
      </Field>
      <Field label="URL" required hint="URL for the connector" error={problems.url}>
        <TextInput
          name="url"
          type="text"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={2000}
          placeholder="http://localhost:8000/mcp"
          value={draft.url}
          onChange={(event) => onChange({ url: event.target.value })}
        />
      </Field>
    </>
  )
}

function focusControl(form: HTMLFormElement, name: string): void {
  const control = form.elements.namedItem(name)
  if (control instanceof HTMLInputElement) control.focus()
}
