import { Field } from '../../../ui/form/field.tsx'
import { SecretInput } from '../../../ui/form/text-input.tsx'

export interface SecretFieldProps {
  readonly label: string
  readonly hint: string
  /** The mask of what is stored, when something is. */
  readonly stored: string | null
  /** The connector leads elsewhere now, where the stored secret does not go along. */
  readonly moved: boolean
  /** Has the focus when its dialog opens. */
  readonly focusFirst?: boolean
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A secret that is typed and never read back: until something else is typed, the box holds the mask of the stored one. */
export function SecretField({ label, hint, stored, moved, focusFirst, value, onChange }: SecretFieldProps) {
  const isKept = stored !== null && value === stored
  return (
    <Field label={label} hint={isKept ? describeKept(stored, moved) : hint}>
      <SecretInput
        isMask={isKept}
        initialFocus={focusFirst}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  )
}

function describeKept(mask: string, moved: boolean): string {
  return moved
    ? 'The stored one was given for the former address and goes with it. Enter the one for the new address.'
    : `Stored: ${mask}. Type to replace it, or empty the field to remove it.`
}
