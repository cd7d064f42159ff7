import { Field } from '../../../ui/form/field.tsx'
import { SecretInput } from '../../../ui/form/text-input.tsx'

export interface SecretFieldProps {
  readonly label: string
  readonly hint: string
  /** The mask of the stored secret. */
  readonly stored: string | null
  /** Whether the address of the connector was changed: the server then removes the stored secret. */
  readonly addressChanged: boolean
  /** Gets the focus when the dialog opens. */
  readonly focusFirst?: boolean
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A field for a secret. The server never returns a stored secret, so the field shows its mask until the user types. */
export function SecretField({
  label,
  hint,
  stored,
  addressChanged,
  focusFirst,
  value,
  onChange,
}: SecretFieldProps) {
  const isStored = stored !== null && value === stored
  return (
    <Field label={label} hint={isStored ? describeStored(stored, addressChanged) : hint}>
      <SecretInput
        isMask={isStored}
        data-initial-focus={focusFirst || undefined}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  )
}

function describeStored(mask: string, addressChanged: boolean): string {
  return addressChanged
    ? 'The address changed, so the stored value will be removed when you save. Enter the value for the new address.'
    : `Stored: ${mask}. Type to replace it, or empty the field to remove it.`
}
