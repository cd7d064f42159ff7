import type { MouseEvent, SyntheticEvent } from 'react'
import { Field, type FieldProps } from './field.tsx'
import { TextInput, type TextInputProps } from './text-input.tsx'

export interface SecretFieldProps
  extends
    Omit<TextInputProps, 'type' | 'value' | 'required'>,
    Pick<FieldProps, 'label' | 'required' | 'error' | 'hint'> {
  readonly value: string
  /** The mask of the stored secret, which the server reads as "unchanged". It never returns the secret itself. */
  readonly stored: string | null
  /** Whether the address was changed to which the secret belongs: the server then removes the stored one. */
  readonly addressChanged?: boolean
  /** What the hint calls the secret. */
  readonly noun?: string
}

/** A field for a secret, whose characters are hidden. It shows the mask of a stored secret until the user types. */
export function SecretField({
  label,
  required = false,
  error,
  hint,
  stored,
  addressChanged = false,
  noun = 'value',
  ...rest
}: SecretFieldProps) {
  const isMask = stored !== null && rest.value === stored
  const storedHint = addressChanged
    ? `The address changed, so the stored ${noun} will be removed when you save. Enter the ${noun} for the new address.`
    : `Stored: ${stored}. Type to replace it${required ? '' : ', or empty the field to remove it'}.`
  return (
    <Field label={label} required={required} error={error} hint={isMask ? storedHint : hint}>
      <TextInput {...rest} type="password" autoComplete="new-password" {...(isMask ? selectWhole : {})} />
    </Field>
  )
}

/** Editing parts of a mask makes no sense, so it is always selected whole. */
const selectWhole = { onFocus: selectAll, onSelect: selectAll, onMouseDown: keepSelection }

/** Without this, a click would deselect the text and place the caret. */
function keepSelection(event: MouseEvent<HTMLInputElement>): void {
  if (document.activeElement === event.currentTarget) event.preventDefault()
}

function selectAll({ currentTarget: box }: SyntheticEvent<HTMLInputElement>): void {
  if (box.selectionStart !== 0 || box.selectionEnd !== box.value.length) box.select()
}
